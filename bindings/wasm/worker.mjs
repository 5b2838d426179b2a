// A worker of latimer.mjs.
import { Engine, sharedMemory } from "./engine.mjs";
import { compile, openModel, ownSharedModule } from "./latimer.mjs";

let engine = null;
let port = null;
const calls = new Map();  // Those under way: { abort, stopped }.

// With `shares`, the answer has what others need to join, if memory can be shared.
async function load(source, { shares, wasm, sharedWasm, ...options }, signal, onProgress) {
  const memory = shares ? sharedMemory() : undefined;
  const shared = sharedWasm ?? ownSharedModule();
  const [module, model] = await Promise.all([
    compile(memory ? shared : wasm), openModel(source, signal, onProgress)]);
  engine = await Engine.load(module, model.chunks, model.bytes, options, memory);
  return { info: engine.info, shared: engine.shared };
}

async function join(shared) {
  engine = await Engine.join(shared);
  return engine.info;
}

function run({ id, name, values, options, calls: has }, call) {
  const own = { ...options, signal: call.abort.signal };
  const tell = (value) => {
    port.postMessage({ id, value });
    return !call.stopped;
  };
  if (name === "load") {
    return load(values[0], options, call.abort.signal, has && ((...at) => tell(at)));
  }
  if (name === "join") return join(...values);
  if (["tokenize", "checkNumbers", "checkSpeech"].includes(name)) return engine[name](...values);
  if (name === "translateAll") return engine.translateAll(values[0], own, values[1]);
  if (name === "translateParagraphs" || name === "transcribe") {
    return engine[name](...values, tell, own);
  }
  if (has) own.onToken = tell;
  return engine[name](...values, own);
}

async function receive({ data }) {
  if (data.abort !== undefined) return calls.get(data.abort)?.abort.abort();
  if (data.stop !== undefined) {
    const call = calls.get(data.stop);
    if (call) call.stopped = true;
    return;
  }
  const call = { abort: new AbortController(), stopped: false };
  calls.set(data.id, call);
  try {
    port.postMessage({ id: data.id, result: await run(data, call) });
  } catch (error) {
    const { name, message, code } = error;
    port.postMessage({ id: data.id, error: { name, message, code } });
  } finally {
    calls.delete(data.id);
  }
}

function listen(to) {
  port = to;
  port.onmessage = receive;
}

if (typeof WorkerGlobalScope !== "undefined") {
  listen(globalThis);
} else {  // In Node.
  import("node:worker_threads").then(({ parentPort }) => listen(parentPort));
}
