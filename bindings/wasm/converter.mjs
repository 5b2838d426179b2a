// latimer-convert in the browser and in Node. README.md says how to use it.
import { LatimerError } from "./engine.mjs";
import { compile } from "./latimer.mjs";
import { Wasi } from "./wasi.mjs";

// A folder that no model is called.
const kOutput = "/.out/model.ltm";

// Runs latimer-convert in this thread; see convert().
export async function run(files, { name = "model", args = [], wasm, onProgress }) {
  const module = await compile(wasm ?? new URL("latimer-convert.wasm", import.meta.url));
  const folder = `/${name.replaceAll("/", "")}`;
  const named = [...files].map(([path, data]) => [`${folder}/${path}`, data]);
  const words = ["latimer-convert", folder, "-o", kOutput, "--progress", ...args];
  let report = "";
  let errors = "";
  const wasi = new Wasi(words, named, [".out"], (stream, text) => {
    if (stream === 1) report += text;
    else errors += text;
    const found = [...text.matchAll(/\r([^\r%]+?) +(\d+) %/g)].at(-1);
    if (found) onProgress?.(found[1], Number(found[2]));
  });
  let code;
  try {
    code = await wasi.run(module);
  } catch (error) {
    throw new LatimerError(`The converter has stopped: ${error.message}.`, "CONVERSION");
  }
  const lines = errors.replace(/\r[^\r\n]*\x1b\[K/g, "").split("\n").filter(Boolean)
    .map((line) => line.replace(/^latimer-convert: /, "").replaceAll(`${folder}/`, ""));
  if (code !== 0) throw new LatimerError(lines.at(-1) ?? `exit code ${code}`, "CONVERSION");
  return {
    model: new Blob(wasi.files.get(kOutput.slice(1)).parts),
    report: report.replace(`${kOutput}: `, "").trim(),
    warnings: lines.map((line) => line.replace(/^warning: /, "")),
  };
}

// Converts the files of a model, by their names in its folder: an iterable of
// [path, File or Uint8Array]. In a worker unless options.worker is false.
export function convert(files, { worker = typeof Worker !== "undefined", ...options } = {}) {
  const { onProgress, signal, ...rest } = options;
  if (!worker) return run(files, { ...rest, onProgress });
  return new Promise((resolve, reject) => {
    const own = new Worker(new URL("converter_worker.mjs", import.meta.url), { type: "module" });
    const end = (settle, value) => {
      own.terminate();
      settle(value);
    };
    signal?.addEventListener("abort", () => end(reject, signal.reason));
    own.onerror = (event) => end(reject, new LatimerError(event.message, "CONVERSION"));
    own.onmessage = ({ data: { progress, error, result } }) => {
      if (progress) onProgress?.(...progress);
      else if (error) end(reject, new LatimerError(error, "CONVERSION"));
      else end(resolve, result);
    };
    own.postMessage({ files: [...files], options: rest });
  });
}
