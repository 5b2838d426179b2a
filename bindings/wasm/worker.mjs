// The worker of latimer.mjs.
import { Engine } from "./engine.mjs";
import { compile, openModel } from "./latimer.mjs";

let engine = null;
const calls = new Map();  // Those under way: { abort, stopped }.

async function load(source, { wasm, ...options }, signal) {
  const [module, model] = await Promise.all([compile(wasm), openModel(source, signal)]);
  engine = await Engine.load(module, model.chunks, model.bytes, options);
  return engine.info;
}

function run({ id, name, values, options, calls: has }, call) {
  const own = { ...options, signal: call.abort.signal };
  if (name === "load") return load(values[0], options, call.abort.signal);
  if (name === "tokenize") return engine.tokenize(...values);
  const tell = (value) => {
    postMessage({ id, value });
    return !call.stopped;
  };
  if (name === "translateParagraphs") {
    return engine.translateParagraphs(...values, tell, own);
  }
  if (has) own.onToken = tell;
  return engine[name](...values, own);
}

onmessage = async ({ data }) => {
  if (data.abort !== undefined) return calls.get(data.abort)?.abort.abort();
  if (data.stop !== undefined) {
    const call = calls.get(data.stop);
    if (call) call.stopped = true;
    return;
  }
  const call = { abort: new AbortController(), stopped: false };
  calls.set(data.id, call);
  try {
    postMessage({ id: data.id, result: await run(data, call) });
  } catch (error) {
    postMessage({ id: data.id, error: { name: error.name, message: error.message } });
  } finally {
    calls.delete(data.id);
  }
};
