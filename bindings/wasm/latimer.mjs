// Models that translate, or that read speech, in the browser and in Node.
// README.md says how to use it.
import { Engine, LatimerError, refuse } from "./engine.mjs";

export { LatimerError };

const kIsNode = typeof process !== "undefined" && process.versions?.node !== undefined;

// Whether the engine has relaxed SIMD: a module with i16x8.relaxed_dot_i8x16_i7x16_s.
const kHasRelaxed = WebAssembly.validate(Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0,
  65, 0, 253, 15, 65, 0, 253, 15, 253, 146, 2, 11));

// The modules, which bundlers find here.
export const ownModule = () => kHasRelaxed
  ? new URL("latimer_relaxed.wasm", import.meta.url)
  : new URL("latimer.wasm", import.meta.url);
export const ownSharedModule = () => kHasRelaxed
  ? new URL("latimer_shared_relaxed.wasm", import.meta.url)
  : new URL("latimer_shared.wasm", import.meta.url);
const ownSpeechModule = () => kHasRelaxed
  ? new URL("latimer_speech_relaxed.wasm", import.meta.url)
  : new URL("latimer_speech.wasm", import.meta.url);

// The absolute URL for a URL or, in Node, a path.
async function locate(source, name = "source") {
  if (source instanceof URL) return source;
  if (typeof source !== "string") refuse(name, "a URL, a path, a File, a Blob or bytes", source);
  if (kIsNode && !/^[a-z][a-z0-9+.-]+:/i.test(source)) {
    return (await import("node:url")).pathToFileURL(source);
  }
  return new URL(source, globalThis.document?.baseURI ?? globalThis.location?.href);
}

// The bytes of a model as { chunks, bytes }: a URL, a File or Blob, or bytes.
export async function openModel(source, signal, onProgress) {
  const model = await openSource(source, signal);
  return onProgress ? { ...model, chunks: counted(model, onProgress) } : model;
}

async function* counted({ chunks, bytes }, onProgress) {
  let at = 0;
  for await (const chunk of chunks) {
    at += chunk.length;
    onProgress(at, bytes);
    yield chunk;
  }
}

async function openSource(source, signal, name) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    const bytes = ArrayBuffer.isView(source)
      ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
      : new Uint8Array(source);
    return { chunks: [bytes], bytes: bytes.length };
  }
  if (typeof Blob !== "undefined" && source instanceof Blob) {
    return { chunks: read(source.stream()), bytes: source.size };
  }
  const url = await locate(source, name);
  if (kIsNode && url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    const bytes = await readFile(url);
    return { chunks: [bytes], bytes: bytes.length };
  }
  const fetched = (work) => work.catch((error) => {
    if (signal?.aborted) throw error;
    const why = error.cause?.message || error.cause?.code || error.message;
    throw new LatimerError(`${url} cannot be fetched: ${why}.`, "DOWNLOAD");
  });
  const response = await fetched(fetch(url, { signal }));
  if (!response.ok) {
    throw new LatimerError(`${url}: the server answers ${response.status}.`, "DOWNLOAD");
  }
  // A server that compresses says the length of what it sends.
  const length = Number(response.headers.get("content-length"));
  if (length > 0 && !response.headers.get("content-encoding")) {
    return { chunks: read(response.body, fetched), bytes: length };
  }
  const bytes = new Uint8Array(await fetched(response.arrayBuffer()));
  return { chunks: [bytes], bytes: bytes.length };
}

async function* read(stream, checked = (work) => work) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await checked(reader.read());
    if (done) return;
    yield value;
  }
}

async function bytesOf(source, signal, name) {
  const { chunks } = await openSource(source, signal, name);
  const parts = [];
  for await (const chunk of chunks) parts.push(chunk);
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function compile(wasm = ownModule()) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  return WebAssembly.compile(await bytesOf(wasm));
}

const closed = () =>
  new LatimerError("The model is closed; load it again.", "FAILED_PRECONDITION");

// The engine in this thread.
class Here {
  constructor(engine) {
    this.engine = engine;
    this.info = engine.info;
  }
  call(name, values, options, callback) {
    if (!this.engine) throw closed();
    if (name === "translateParagraphs" || name === "transcribe") {
      return this.engine[name](...values, callback, options);
    }
    const own = callback ? { ...options, onToken: callback } : options;
    return this.engine[name](...values, own);
  }
  close() {
    this.engine = null;
  }
}

// A worker of the browser or, with the same interface, of Node.
async function spawn() {
  if (!kIsNode) return new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  const threads = await import("node:worker_threads");
  // Which node -e has, and a worker does not take.
  const execArgv = process.execArgv.filter((word) => !word.startsWith("--input-type"));
  const worker = new threads.Worker(new URL("worker.mjs", import.meta.url), { execArgv });
  worker.on("message", (data) => worker.onmessage({ data }));
  worker.on("error", (error) => worker.onerror(error));
  return worker;
}

// An engine in a worker.
class InWorker {
  #worker;
  #calls = new Map();
  #next = 0;

  static async start() {
    const here = new InWorker();
    here.#worker = await spawn();
    here.#worker.onmessage = ({ data }) => here.#receive(data);
    here.#worker.onerror = (event) => here.#end(new LatimerError(
      `The worker has failed: ${event.message ?? "it could not be loaded"}.`,
      "RESOURCE_UNAVAILABLE"));
    return here;
  }

  // Calls that have not ended; none are taken after a failure.
  get waiting() {
    return this.#worker ? this.#calls.size : Infinity;
  }

  call(name, values, { signal, ...options } = {}, callback = undefined) {
    return new Promise((resolve, reject) => {
      if (!this.#worker) throw closed();
      if (signal?.aborted) throw signal.reason;
      const id = this.#next++;
      const abort = () => this.#worker?.postMessage({ abort: id });
      signal?.addEventListener("abort", abort);
      this.#calls.set(id, { resolve, reject, callback, signal, abort });
      this.#worker.ref?.();
      this.#worker.postMessage({ id, name, values, options, calls: callback !== undefined });
    });
  }

  #receive({ id, value, result, error }) {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    if (value !== undefined) {
      if (call.callback(value) === false) this.#worker.postMessage({ stop: id });
      return;
    }
    this.#calls.delete(id);
    if (this.#calls.size === 0) this.#worker.unref?.();  // Node may end.
    call.signal?.removeEventListener("abort", call.abort);
    if (error === undefined) {
      call.resolve(result);
    } else if (call.signal?.aborted) {
      call.reject(call.signal.reason);
    } else {
      call.reject(error.name === "TypeError"
        ? new TypeError(error.message) : new LatimerError(error.message, error.code));
    }
  }

  #end(error) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }

  close() {
    this.#end(closed());
  }
}

// Whether this thread can send memory to workers that share it.
const canShare = () => typeof SharedArrayBuffer !== "undefined" &&
  (kIsNode || globalThis.crossOriginIsolated === true);

// A model in workers, which share it.
class InWorkers {
  #workers = [];

  static async load(source, { workers, signal, onProgress, ...options }) {
    const here = new InWorkers();
    const model = source instanceof Blob || source instanceof ArrayBuffer ||
      ArrayBuffer.isView(source) ? source : String(await locate(source));
    const shares = workers > 1 && canShare();
    const add = async (...call) => {
      const worker = await InWorker.start();
      try {
        const result = await worker.call(...call);
        here.#workers.push(worker);
        return result;
      } catch (error) {
        worker.close();
        throw error;
      }
    };
    const { info, shared } = await add(
      "load", [model], { ...options, shares, signal }, onProgress && ((at) => onProgress(...at)));
    here.info = info;
    if (shared === undefined) return here;
    // Without memory for all workers, there are fewer.
    const others = await Promise.allSettled(
      Array.from({ length: workers - 1 }, () => add("join", [shared], { signal })));
    if (signal?.aborted) {
      here.close();
      throw signal.reason;
    }
    info.workers = here.#workers.length;
    for (const { value } of others) {
      info.memoryBytes = Math.max(info.memoryBytes, value?.memoryBytes ?? 0);
    }
    return here;
  }

  // Those with the fewest calls first.
  get #idlest() {
    return this.#workers.slice().sort((a, b) => a.waiting - b.waiting);
  }

  call(name, values, options, callback) {
    if (name === "translateAll" && this.#workers.length > 1) {
      return this.#translateAll(values[0], options);
    }
    return this.#idlest[0].call(name, values, options, callback);
  }

  async #translateAll(texts, { signal, ...options }) {
    signal?.throwIfAborted();
    const own = new AbortController();
    const abort = () => own.abort(signal.reason);
    signal?.addEventListener("abort", abort);
    const workers = this.#idlest
      .filter(({ waiting }, i) => i === 0 || (i < texts.length && waiting < Infinity));
    const counter = new Int32Array(new SharedArrayBuffer(4));
    const most = Math.ceil(texts.length / workers.length);
    const results = Array(texts.length).fill(null);
    try {
      // It does not wait for a worker that still has other work.
      await new Promise((resolve, reject) => {
        for (const worker of workers) {
          worker.call("translateAll", [texts, { counter, most }], { ...options, signal: own.signal })
            .then((some) => {
              some.forEach((result, i) => (results[i] ??= result));
              if (!results.includes(null)) resolve();
            })
            .catch(reject);
        }
      });
      return results;
    } finally {
      own.abort();
      signal?.removeEventListener("abort", abort);
    }
  }

  close() {
    for (const worker of this.#workers) worker.close();
  }
}

function textOf(text, name = "text") {
  if (typeof text !== "string") refuse(name, "a string", text);
  return text;
}

function optionsOf(options) {
  if (typeof options !== "object" || options === null) refuse("options", "an object", options);
  return options;
}

// A model in workers or, with worker: false, in this thread.
async function load(source, { workers = 1,
  worker = workers > 1 || (typeof Worker !== "undefined" && !kIsNode),
  wasm, sharedWasm, ...options }) {
  if (!Number.isInteger(workers) || workers < 1 || (workers > 1 && !worker)) {
    throw new TypeError("workers: give a whole number, and worker: false only with 1.");
  }
  if (worker) {
    return InWorkers.load(source, {
      workers,
      wasm: wasm && String(await locate(wasm)),
      sharedWasm: sharedWasm && String(await locate(sharedWasm)),
      ...options });
  }
  const { signal, onProgress, ...rest } = options;
  const [module, model] = await Promise.all([
    compile(wasm), openModel(source, signal, onProgress)]);
  return new Here(await Engine.load(module, model.chunks, model.bytes, rest));
}

// What a call tells by and by, and its result. To leave the loop ends the call.
async function* iterate(at, name, value, options) {
  const values = [];
  let wake = () => {};
  let done = false;
  let failure = null;
  const own = new AbortController();
  const abort = () => own.abort(options.signal.reason);
  if (options.signal?.aborted) abort();
  options.signal?.addEventListener("abort", abort);
  const work = at
    .call(name, [value], { ...options, signal: own.signal }, (some) => {
      values.push(some);
      wake();
    })
    .catch((error) => (failure = error))
    .finally(() => {
      done = true;
      wake();
    });
  try {
    for (;;) {
      while (values.length > 0) yield values.shift();
      if (done) break;
      await new Promise((resolve) => (wake = resolve));
    }
    if (failure) throw failure;
    const result = await work;
    if (name === "translate") yield result.text;
    return result;
  } finally {
    options.signal?.removeEventListener("abort", abort);
    if (!done) own.abort();
    await work;
  }
}

export class Latimer {
  #at;

  static async load(source, options = {}) {
    const latimer = new Latimer();
    latimer.#at = await load(source, options);
    return latimer;
  }

  get info() {
    return this.#at.info;
  }

  async translate(text, options = {}) {
    return this.#at.call("translate", [textOf(text)], optionsOf(options));
  }

  async translateAll(texts, options = {}) {
    if (typeof texts === "string" || typeof texts?.[Symbol.iterator] !== "function") {
      refuse("texts", "a list of strings", texts);
    }
    const all = Array.from(texts, (text, i) => textOf(text, `texts[${i}]`));
    return this.#at.call("translateAll", [all], optionsOf(options));
  }

  stream(text, options = {}) {
    return iterate(this.#at, "translate", textOf(text), optionsOf(options));
  }

  translateParagraphs(text, options = {}) {
    return iterate(this.#at, "translateParagraphs", textOf(text), optionsOf(options));
  }

  async translateHtml(html, options = {}) {
    return this.#at.call("translateHtml", [textOf(html, "html")], optionsOf(options));
  }

  async checkNumbers(source, translation) {
    const texts = [textOf(source, "source"), textOf(translation, "translation")];
    return this.#at.call("checkNumbers", texts, {});
  }

  async tokenize(text) {
    return this.#at.call("tokenize", [textOf(text)], {});
  }

  close() {
    this.#at.close();
  }
}

export class Transcriber {
  #at;

  static async load(source, { wasm = ownSpeechModule(), ...options } = {}) {
    for (const name of ["workers", "sharedWasm", "lanes", "beams"]) {
      if (name in options) throw new TypeError(`${name} is no option of Transcriber.load.`);
    }
    const transcriber = new Transcriber();
    transcriber.#at = await load(source, { ...options, wasm, lanes: 1 });
    try {
      await transcriber.#at.call("checkSpeech", [], {});
    } catch (error) {
      transcriber.close();
      throw error;
    }
    return transcriber;
  }

  get info() {
    return this.#at.info;
  }

  async transcribe(sound, options = {}) {
    const segments = [];
    for await (const segment of this.stream(sound, options)) segments.push(segment);
    return { text: segments.map(({ text }) => text).join("").trim(), segments };
  }

  async *stream(sound, options = {}) {
    const { signal } = optionsOf(options);
    const bytes = sound instanceof Float32Array ? sound : await bytesOf(sound, signal, "sound");
    yield* iterate(this.#at, "transcribe", bytes, options);
  }

  close() {
    this.#at.close();
  }
}

// Options that belong to one of two models, or to one source.
const kOfOne = [
  "languageCode", "task", "prefix", "targetPrefix", "bannedWords", "terms", "protectedRanges",
  "attention", "alignment", "scores",
];

export class Pivot {
  constructor(first, second) {
    Object.assign(this, { first, second });
  }

  // The options of the first model, and those of the second.
  #share(options) {
    for (const name of kOfOne) {
      if (optionsOf(options)[name] === undefined) continue;
      throw new TypeError(
        `${name}: it belongs to one model; call first and second one after the other.`);
    }
    const { sourceLang, targetLang, nBest, alternatives, ...both } = options;
    return [{ ...both, sourceLang }, { ...both, targetLang, nBest, alternatives }];
  }

  async translate(text, options = {}) {
    const [first, second] = this.#share(options);
    const between = await this.first.translate(text, first);
    return this.second.translate(between.text, second);
  }

  async translateAll(texts, options = {}) {
    const [first, second] = this.#share(options);
    const between = await this.first.translateAll(texts, first);
    return this.second.translateAll(between.map(({ text }) => text), second);
  }

  async *translateParagraphs(text, options = {}) {
    const [first, second] = this.#share(options);
    const ofSentence = { ...second, sentences: false };
    for await (const portion of this.first.translateParagraphs(text, first)) {
      if (!portion.source) yield portion;
      else yield { ...portion, text: (await this.second.translate(portion.text, ofSentence)).text };
    }
  }

  async translateHtml(html, options = {}) {
    const [first, second] = this.#share(options);
    return this.second.translateHtml(await this.first.translateHtml(html, first), second);
  }

  close() {
    this.first.close();
    this.second.close();
  }
}
