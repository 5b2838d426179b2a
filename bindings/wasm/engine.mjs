// A model in WebAssembly, in the thread that calls it. latimer.mjs runs it in a
// worker.
import { joinParts, kStopReasons, linkUnits } from "./parts.mjs";

const kPage = 65536;
const kSharedPages = 16;  // As CMakeLists.txt has them.
const kMostPages = 65536;
const kStackBytes = 65536;
// Kinds of options, as latimer/options.h has them.
const [kFlag, , , kChoice, kText] = Array(5).keys();
// Options without a name in C.
const kOthers = ["onToken", "signal", "terms", "protectedRanges", "bannedWords", "nBest"];
// Words of latimer_translation, in this order.
const kTranslation = [
  "structBytes", "text", "textBytes", "tokens", "tokenCount", "sourceBytes", "space",
  "spaceBytes", "stopReason", "generatedTokens", "source", "sourceCount", "scores", "links", "linkCount",
  "layers", "heads", "rows", "hypothesisCount",
];
// Options of a transcription, and what they are without being given.
const kSpeechOptions = {
  language: "", prompt: "", task: "transcribe", maxTokens: 0, timestamps: true,
  conditionOnPreviousText: true, fallback: true, shortWindow: false,
};
const kSpeechRate = 16000;

// Milliseconds of work after which messages and events have their turn.
const kTurn = 12;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// As latimer_code in latimer.h has them.
const kCodes = [
  "OK", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_A_MODEL", "TRUNCATED", "CORRUPT",
  "UNSUPPORTED_VERSION", "EXCEEDS_PROFILE", "TILE_NOT_IN_BUILD", "UNSUPPORTED_CPU",
  "TEXT_TOO_LONG", "RESOURCE_UNAVAILABLE",
];

export class LatimerError extends Error {
  name = "LatimerError";
  constructor(message, code = "INVALID_ARGUMENT") {
    super(message);
    this.code = code;
  }
}

// Lets the thread see what has come in meanwhile. setTimeout would wait for
// milliseconds.
const nextTurn = (() => {
  if (typeof setImmediate !== "undefined") return () => new Promise(setImmediate);
  const { port1, port2 } = new MessageChannel();
  const waiting = [];
  port1.onmessage = () => waiting.shift()();
  return () => new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(0);
  });
})();

class Turns {
  #end = performance.now() + kTurn;
  async pause(signal) {
    if (performance.now() < this.#end) return;
    await nextTurn();
    signal?.throwIfAborted();
    this.#end = performance.now() + kTurn;
  }
}

// Memory that workers can share; undefined if there is none. Browsers reserve as
// much as it may grow to, and some have no 4 GB.
export function sharedMemory() {
  for (let maximum = kMostPages; maximum > kSharedPages; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial: kSharedPages, maximum, shared: true });
    } catch { /* Less, then. */ }
  }
  return undefined;
}

const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function refuse(name, wanted, value) {
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : typeof value;
  throw new TypeError(`${name}: give ${wanted}, not ${kind}.`);
}

// The bytes before samples from -1 to 1, one channel of them, that make them a WAV
// of floats, which ends with its bytes.
function wavHeader(rate) {
  const header = new DataView(new ArrayBuffer(44));
  const word = (at, text) => [...text].forEach((c, i) => header.setUint8(at + i, c.charCodeAt(0)));
  word(0, "RIFF");
  word(8, "WAVEfmt ");
  header.setUint32(16, 16, true);
  header.setUint16(20, 3, true);  // Floats,
  header.setUint16(22, 1, true);  // of one channel.
  header.setUint32(24, rate, true);
  header.setUint32(28, 4 * rate, true);
  header.setUint16(32, 4, true);
  header.setUint16(34, 32, true);
  word(36, "data");
  return new Uint8Array(header.buffer);
}

function number(options, name, otherwise) {
  const value = options[name] ?? otherwise;
  if (typeof value !== "number") refuse(name, "a number", value);
  return value;
}

function whole(name, value) {
  if (Number.isInteger(value) && value > 0) return value;
  throw new TypeError(`${name} ${value}: give a whole number from 1 on.`);
}

export class Engine {
  #wasm;
  #memory;
  #busy = Promise.resolve();
  #onToken = null;
  #onText = null;
  #onHtml = null;
  #onSegment = null;
  #stream = 0;
  #cursors = 0;
  #windows = 0;
  #model = null;
  #kinds = new Map();  // Of the options, by our names.

  // `chunks` are those of the model file, of `bytes` bytes in all. With a shared
  // `memory`, `shared` is what join() needs.
  static async load(module, chunks, bytes, options = {}, memory) {
    for (const name of Object.keys(options)) {
      if (name !== "lanes" && name !== "beams") {
        throw new TypeError(`${name} is no option of Latimer.load.`);
      }
    }
    const [lanes, beams] = [number(options, "lanes", 8), number(options, "beams", 0)];
    const engine = new Engine();
    await engine.#start(module, memory);
    await engine.#load(chunks, { bytes, lanes, beams });
    if (memory) engine.shared = { module, memory, model: engine.#model };
    return engine;
  }

  // Another engine for the model that an engine has loaded, in another thread,
  // with a stack, a state and a workspace of its own.
  static async join({ module, memory, model }) {
    const engine = new Engine();
    await engine.#start(module, memory, true);
    engine.#model = model;
    engine.#open(engine.#reserve(model.workspaceBytes));
    return engine;
  }

  async #start(module, memory, joins = false) {
    const latimer = {
      token: (index, token) => (this.#onToken?.(index, token) === false ? 0 : 1),
      received: (text, textBytes, source, sourceBytes, line, cut, reason) =>
        this.#onText({
          text: this.#text(text, textBytes),
          source: this.#text(source, sourceBytes),
          line,
          cut: cut !== 0,
          stopReason: kStopReasons[reason],
        }),
      wrote: (html, bytes) => this.#onHtml(this.#array(Uint8Array, html, bytes).slice()),
      said: (text, textBytes, language, start, end, tokens, tokenCount, temperature, avgLogprob,
        compressionRatio, noSpeechProb, languageProbability, reason) =>
        this.#onSegment({
          start,
          end,
          text: this.#text(text, textBytes),
          tokens: Array.from(this.#array(Int32Array, tokens, tokenCount)),
          temperature,
          avgLogprob,
          compressionRatio,
          noSpeechProb,
          language: this.#string(language),
          languageProbability,
          stopReason: kStopReasons[reason],
        }),
      failed: (message) => {
        throw new LatimerError(this.#string(message), "RESOURCE_UNAVAILABLE");
      },
      milliseconds: () => performance.now(),
    };
    const { exports } = await WebAssembly.instantiate(module, { latimer, env: { memory } });
    this.#wasm = exports;
    this.#memory = memory ?? exports.memory;
    if (joins) {
      const stack = this.#reserve(kStackBytes + exports.__tls_size.value);
      exports.__stack_pointer.value = stack + kStackBytes;
      exports.__wasm_init_tls(stack + kStackBytes);
    }
    exports.setState(this.#reserve(exports.stateBytes()));
    for (let place = 0, name; (name = exports.optionName(place)) !== 0; ++place) {
      this.#kinds.set(camelCase(this.#string(name)), exports.optionKind(place));
    }
  }

  async #load(chunks, { bytes, lanes, beams }) {
    const image = this.#reserve(bytes);
    let at = 0;
    for await (const chunk of chunks) {
      if (at + chunk.length > bytes) break;
      this.#array(Uint8Array, image + at, chunk.length).set(chunk);
      at += chunk.length;
    }
    if (at !== bytes) {
      throw new LatimerError(`The model has ended after ${at} of ${bytes} bytes.`, "TRUNCATED");
    }
    const scratch = this.#reserve(this.#wasm.scratchBytes());
    const workspaceBytes = this.#wasm.plan(image, bytes, lanes, beams, scratch) >>> 0;
    if (workspaceBytes === 0) this.#refuseModel();
    this.#model = { image, bytes, lanes, beams, workspaceBytes };
    // The scratch is a part of the workspace: nobody else grows this memory.
    const missing = scratch + workspaceBytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#reserve(missing);
    this.#open(scratch);
  }

  // Nothing grows from here on.
  #open(workspace) {
    const { image, bytes, lanes, beams, workspaceBytes } = this.#model;
    const { streamBytes, htmlBytes, speechBytes } = this.#wasm;
    this.#stream = this.#reserve(Math.max(streamBytes(), htmlBytes(), speechBytes?.() ?? 0));
    const most = Math.max(lanes, 1);
    this.#cursors = this.#reserve(most * this.#wasm.cursorBytes());
    this.#windows = this.#reserve(most * this.#wasm.windowBytes());
    if (!this.#wasm.load(image, bytes, workspace, workspaceBytes, lanes, beams)) {
      this.#refuseModel();
    }
    this.info = this.#readInfo();
  }

  // Of a file for other processors, which know the layout of this one, and of one
  // for another module.
  #refuseModel() {
    throw new LatimerError(this.#string(this.#wasm.message())
      .replace(/convert the model again with --tile .*/,
        "convert the model again, for WebAssembly and for the PC: " +
        "latimer-convert MODEL -o model.ltm --board wasm32")
      .replace(/^The model has an encoder of speech.*/,
        "The model reads speech instead of text; load it with Transcriber.load()."),
    this.#code());
  }

  // The address of `bytes` new bytes, all zero. Other threads may grow the memory
  // at the same time.
  #reserve(bytes) {
    try {
      return this.#memory.grow(Math.ceil(bytes / kPage)) * kPage;
    } catch {
      const needed = this.#memory.buffer.byteLength + bytes;
      throw new LatimerError(
        `The browser has no ${Math.ceil(needed / 1e6)} MB for this model; ` +
        "close other pages, or take a smaller model.", "RESOURCE_UNAVAILABLE");
    }
  }

  // Addresses above 2 GB come as negative numbers.
  #array(kind, address, count) {
    return new kind(this.#memory.buffer, address >>> 0, count);
  }
  // Decoders refuse shared memory.
  #text(address, bytes) {
    return decoder.decode(this.#array(Uint8Array, address, bytes).slice());
  }
  #string(address) {
    return this.#text(address, this.#array(Uint8Array, address).indexOf(0));
  }
  #code() {
    return kCodes[this.#wasm.code()];
  }
  #fail() {
    throw new LatimerError(this.#string(this.#wasm.message()), this.#code());
  }

  #readInfo() {
    const wasm = this.#wasm;
    const { lanes, workspaceBytes } = this.#model;
    const found = wasm.info();
    if (found === 0) this.#fail();
    const names = [
      "fileBytes", "sourceVocabulary", "targetVocabulary", "maxSourceTokens", "maxTargetTokens",
    ];
    const numbers = this.#array(Float64Array, found, names.length + 4);
    const info = {
      lanes, workspaceBytes, memoryBytes: this.#memory.buffer.byteLength, workers: 1,
    };
    names.forEach((name, index) => (info[name] = numbers[index]));
    const [hasTokenizer, weights, license, licenseBytes] = numbers.slice(names.length);
    info.hasTokenizer = hasTokenizer !== 0;
    info.weights = this.#string(weights);
    info.license = this.#text(license, licenseBytes);
    info.version = this.#string(wasm.version());
    info.languages = [];
    for (let at; (at = wasm.language(info.languages.length)); ) {
      info.languages.push(this.#string(at));
    }
    return info;
  }

  // ---- Calls, one after another ---------------------------------------------

  async #alone(work) {
    const before = this.#busy;
    let done;
    this.#busy = new Promise((resolve) => (done = resolve));
    await before;
    try {
      return await work();
    } finally {
      this.#onToken = null;
      this.#onText = null;
      this.#onHtml = null;
      this.#onSegment = null;
      done();
    }
  }

  // `text` is the only one, if there is only one.
  #setOptions(options, text = undefined) {
    const wasm = this.#wasm;
    wasm.newOptions();
    for (const [name, value] of Object.entries(options)) {
      if (kOthers.includes(name)) continue;
      if (!this.#kinds.has(name)) throw new TypeError(`${name} is no option of a translation.`);
      if (value !== undefined && value !== null) this.#setOption(name, value);
    }
    this.#setPhrases(options);
    if (options.protectedRanges) this.#protect(options.protectedRanges, text);
    const nBest = number(options, "nBest", 0);
    if (nBest > Math.max(1, options.beams ?? options.alternatives ?? 0)) {
      throw new TypeError(`nBest ${nBest} needs as many beams; give beams, too.`);
    }
    if (!wasm.checkOptions()) this.#fail();
  }

  #setOption(name, value) {
    const kind = this.#kinds.get(name);
    if (kind !== kChoice) {
      const [type, wanted] = kind === kFlag ? ["boolean", "true or false"]
        : kind === kText ? ["string", "a string"] : ["number", "a number"];
      if (typeof value !== type) refuse(name, wanted, value);
    }
    const inC = encoder.encode(snakeCase(name));
    const bytes = encoder.encode(String(value));
    if (inC.length + bytes.length > this.#wasm.inputBytes()) {
      throw new LatimerError(`${name} is too long.`);
    }
    this.#fill(Uint8Array.of(...inC, ...bytes));
    const set = this.#wasm.setOption(inC.length, bytes.length);
    if (set < 0) throw new LatimerError(`${name} is too long.`);
    if (set === 0) {
      throw new TypeError(name + this.#string(this.#wasm.message()).slice(inC.length));
    }
  }

  #setPhrases({ terms, bannedWords }) {
    const wasm = this.#wasm;
    terms ??= {};
    bannedWords ??= [];
    if (typeof terms !== "object") refuse("terms", "an object of strings", terms);
    if (!Array.isArray(bannedWords)) refuse("bannedWords", "an array of strings", bannedWords);
    const fill = (name, ...texts) => {
      for (const text of texts) if (typeof text !== "string") refuse(name, "strings", text);
      const lengths = texts.map((text) => encoder.encode(text).length);
      const bytes = encoder.encode(texts.join(""));
      if (bytes.length > wasm.inputBytes()) throw new LatimerError(`${name} are too long.`);
      this.#fill(bytes);
      return lengths;
    };
    for (const [source, target] of Object.entries(terms)) {
      if (!wasm.addTerm(...fill("terms", source, target))) {
        throw new LatimerError("There are too many terms.");
      }
    }
    for (const word of bannedWords) {
      const banned = wasm.banWord(...fill("bannedWords", word));
      if (banned === 0) this.#fail();
      if (banned < 0) throw new LatimerError("There are too many banned words.");
    }
  }

  // Positions in a string become positions in UTF-8.
  #protect(ranges, text) {
    if (text === undefined) throw new TypeError("protectedRanges are for one text.");
    let [at, bytes] = [0, 0];
    const upTo = (position) => {
      bytes += encoder.encode(text.slice(at, position)).length;
      at = position;
      return bytes;
    };
    const cuts = (position) => text.codePointAt(position - 1) > 0xffff;
    for (const [begin, end] of ranges) {
      if (!(at <= begin && begin <= end && end <= text.length) || cuts(begin) || cuts(end)) {
        throw new LatimerError(`The protected range [${begin}, ${end}) overlaps the one ` +
          "before it, cuts a character, or is not in the text.");
      }
      if (!this.#wasm.addRange(upTo(begin), upTo(end))) {
        throw new LatimerError("There are too many protected ranges.");
      }
    }
  }

  #fill(bytes) {
    this.#array(Uint8Array, this.#wasm.input(), bytes.length).set(bytes);
  }

  // ---- Texts ----------------------------------------------------------------

  // Text number `number`, from 1, with cursor `place` of those that there are.
  // The engine's cursor knows what all its parts have in common.
  #openText(text, number, place) {
    const rest = encoder.encode(text);
    const memory = this.#cursors + place * this.#wasm.cursorBytes();
    const cursor = this.#wasm.cursorBegin(memory, rest.length, number);
    if (cursor === 0) this.#fail();
    return { cursor, place, number, rest, parts: [], left: 0 };
  }

  // Begins the next part of a text in window `window`, which it occupies until
  // it has finished.
  #beginPart(job, window, ticket) {
    const wasm = this.#wasm;
    const bytes = Math.min(job.rest.length, wasm.windowBytes());
    const at = this.#windows + window * wasm.windowBytes();
    this.#array(Uint8Array, at, bytes).set(job.rest.subarray(0, bytes));
    const taken = wasm.begin(job.cursor, at, bytes, ticket);
    if (taken < 0) this.#fail();
    const read = job.rest.subarray(0, taken);
    const part = { job, window, read };
    job.rest = job.rest.subarray(taken);
    job.parts.push(part);
    ++job.left;
    return part;
  }

  #finishPart(part, options) {
    const reason = this.#wasm.cursorFinish(part.job.cursor);
    Object.assign(part, this.#finished(options, part.read), { stopReason: kStopReasons[reason] });
    --part.job.left;
  }

  // Translates a text; it may be long. `options.onToken` sees the text so far.
  translate(text, options = {}) {
    return this.#alone(async () => {
      try {
        return await this.#translate(text, options);
      } finally {
        this.#drain();
      }
    });
  }

  async #translate(text, options) {
    const wasm = this.#wasm;
    this.#setOptions(options, text);
    const { signal, onToken } = options;
    signal?.throwIfAborted();
    const begun = performance.now();
    const job = this.#openText(text, 1, 0);
    let tokens = [];
    const turns = new Turns();
    let soFar = "";
    while (!wasm.cursorDone(job.cursor)) {
      tokens = [];
      this.#onToken = (index, token) => {
        tokens.length = index;
        tokens.push(token);
      };
      const part = this.#beginPart(job, 0, 0);
      let ticket;
      let shown = 0;
      while ((ticket = wasm.advance()) === -1) {
        if (onToken && tokens.length > shown) {
          shown = tokens.length;
          if (onToken(soFar + this.#detokenize(tokens)) === false) wasm.cancel(1);
        }
        await turns.pause(signal);
      }
      wasm.cancel(0);
      if (ticket === -2) this.#fail();
      this.#finishPart(part, options);
      soFar += part.text + part.space;
    }
    return { ...joinParts(job.parts), milliseconds: performance.now() - begun };
  }

  // A word of the translation that has begun or finished.
  #read(name) {
    const at = this.#wasm.translation() + 4 * kTranslation.indexOf(name);
    return this.#array(Uint32Array, at, 1)[0];
  }

  // The part that has finished, of a source in UTF-8.
  #finished(options, source) {
    const wasm = this.#wasm;
    const fields = this.#array(Uint32Array, wasm.translation(), kTranslation.length);
    const t = Object.fromEntries(kTranslation.map((name, i) => [name, fields[i]]));
    const numbers = (kind, address, count) =>
      Array.from(this.#array(kind, address, count));
    const text = this.#array(Uint8Array, t.text, t.textBytes).slice();
    const part = {
      text: decoder.decode(text),
      space: this.#text(t.space, t.spaceBytes),
      tokens: numbers(Int32Array, t.tokens, t.tokenCount),
      source: numbers(Int32Array, t.source, t.sourceCount),
      stopReason: kStopReasons[t.stopReason],
      generatedTokens: t.generatedTokens,
    };
    if (options.scores) {
      const pairs = numbers(Float32Array, t.scores, 2 * t.tokenCount);
      part.scores = pairs.filter((_, i) => i % 2 === 0);
      const words = wasm.scoreWords();
      const ends = numbers(Uint32Array, wasm.words(), 3 * Math.max(words, 0));
      const means = numbers(Float32Array, wasm.words(), ends.length);
      if (words >= 0) part.words = Array.from({ length: words }, (_, i) => ({
        text: decoder.decode(text.subarray(ends[3 * i], ends[3 * i + 1])),
        score: means[3 * i + 2],
      }));
    }
    if (options.alignment) {
      const ends = numbers(Uint32Array, t.links, 4 * t.linkCount);
      Object.assign(part, linkUnits(ends, text, source));
    }
    if (t.rows !== 0 && options.attention !== "decoder") {
      const { layers, heads, rows, sourceCount: columns } = t;
      const count = rows * layers * heads * columns;
      part.attention = {
        layers, heads, rows, columns,
        weights: this.#array(Float32Array, wasm.weights(), count).slice(),
        sourcePieces: this.#pieces(wasm.sourcePiece, part.source),
        targetPieces: this.#pieces(wasm.targetPiece, part.tokens),
      };
    }
    // The last: it overwrites the text.
    const wanted = options.nBest ?? options.alternatives ?? 0;
    const most = Math.min(wanted, t.hypothesisCount);
    if (wanted) {
      part.hypotheses = most > 0
        ? this.#hypotheses(most) : [{ text: part.text, tokens: part.tokens, score: 0 }];
    }
    return part;
  }

  #hypotheses(count) {
    const found = Array.from({ length: count }, (_, i) => {
      const at = this.#wasm.hypothesis(i);
      const [tokens, length] = this.#array(Uint32Array, at, 2);
      return { tokens, length, score: this.#array(Float32Array, at, 3)[2] };
    });
    return found.map(({ tokens, length, score }, i) => {
      const text = this.#wasm.hypothesisText(i);
      if (text === 0) this.#fail();
      return {
        text: this.#text(text, this.#read("textBytes")),
        tokens: Array.from(this.#array(Int32Array, tokens, length)),
        score,
      };
    });
  }

  #pieces(piece, tokens) {
    return tokens.map((token) => {
      const bytes = piece(token);
      return this.#text(this.#wasm.input(), bytes);
    });
  }

  // Text of tokens while a sentence is under way; incomplete characters wait.
  #detokenize(tokens) {
    const room = this.#wasm.idsCount();
    const some = tokens.slice(0, room);
    const ids = this.#wasm.ids();
    this.#array(Int32Array, ids, some.length).set(some);
    const text = this.#wasm.detokenize(ids, some.length);
    if (text === 0) this.#fail();
    return this.#text(text, this.#read("textBytes")).replace(/\uFFFD+$/, "");
  }

  // Ends the sentences that an error or a signal has left.
  #drain() {
    const wasm = this.#wasm;
    this.#onToken = null;
    wasm.cancel(1);
    while (wasm.underWay() > 0) wasm.advance();
    wasm.cancel(0);
  }

  // Translates each text, as many side by side as there are lanes. With `others`,
  // { counter, most }, it takes those that the counter says, at most `most` at
  // once; the rest is null.
  translateAll(texts, options = {}, others = undefined) {
    return this.#alone(async () => {
      try {
        return await this.#translateAll(texts, options, others);
      } finally {
        this.#drain();
      }
    });
  }

  async #translateAll(texts, options, { counter, most = Infinity } = {}) {
    const wasm = this.#wasm;
    if (options.onToken) throw new TypeError("onToken is for one text.");
    this.#setOptions(options);
    const turns = new Turns();
    const results = texts.map(() => null);
    const free = () => [...Array(Math.max(this.#model.lanes, 1)).keys()];
    // Fewer texts are under way than windows are in use, when one begins.
    const [places, windows] = [free(), free()];
    const jobs = new Set();
    const parts = [];  // By ticket.
    let next = 0;
    const take = () => (counter ? Atomics.add(counter, 0, 1) : next++);
    let more = true;
    let left = 0;
    for (;;) {
      while (left < most && windows.length > 0 && wasm.canBegin()) {
        let job = [...jobs].find(({ cursor }) => wasm.cursorCanBegin(cursor));
        if (job === undefined) {
          const text = more ? take() : texts.length;
          more = text < texts.length;
          if (!more) break;
          job = this.#openText(texts[text], text + 1, places.pop());
          jobs.add(job);
        }
        parts.push(this.#beginPart(job, windows.pop(), parts.length));
        ++left;
      }
      if (left === 0) break;
      const ticket = wasm.advance();
      if (ticket === -2) this.#fail();
      if (ticket >= 0) {
        const part = parts[ticket];
        const { job } = part;
        this.#finishPart(part, options);
        windows.push(part.window);
        --left;
        if (job.left === 0 && wasm.cursorDone(job.cursor)) {
          jobs.delete(job);
          places.push(job.place);
          results[job.number - 1] = joinParts(job.parts);
        }
      }
      await turns.pause(options.signal);
    }
    return results;
  }

  // Gives a stream bytes, some at a time, so that other events get a turn.
  async #push(bytes, push, signal, most = 128) {
    const turns = new Turns();
    for (let at = 0; at < bytes.length; at += most) {
      const some = bytes.subarray(at, at + most);
      this.#fill(some);
      if (!push(some.length)) this.#fail();
      await turns.pause(signal);
    }
  }

  // Translates running text sentence by sentence; `onPortion` gets each portion
  // of the translation.
  translateParagraphs(text, onPortion, options = {}) {
    return this.#alone(async () => {
      const wasm = this.#wasm;
      this.#setOptions(options);
      this.#onText = onPortion;
      const stream = wasm.streamBegin(this.#stream);
      if (stream === 0) this.#fail();
      await this.#push(encoder.encode(text), (count) => wasm.streamPush(stream, count), options.signal);
      if (!wasm.streamFinish(stream)) this.#fail();
    });
  }

  // Translates HTML; each tag comes back once, around the words that it stood around.
  translateHtml(html, options = {}) {
    return this.#alone(async () => {
      const wasm = this.#wasm;
      if (options.onToken) throw new TypeError("onToken is for one text.");
      this.#setOptions(options);
      const whole = new TextDecoder("utf-8", { ignoreBOM: true });
      let written = "";
      this.#onHtml = (bytes) => (written += whole.decode(bytes, { stream: true }));
      try {
        const stream = wasm.htmlBegin(this.#stream);
        if (stream === 0) this.#fail();
        await this.#push(encoder.encode(html), (count) => wasm.htmlPush(stream, count), options.signal);
        if (!wasm.htmlFinish(stream)) this.#fail();
        return written;
      } finally {
        this.#drain();
      }
    });
  }

  // ---- Speech ---------------------------------------------------------------

  // Refuses a model that reads text.
  checkSpeech() {
    return this.#alone(async () => void this.#beginSpeech({}));
  }

  #beginSpeech(options) {
    if (!this.#wasm.speechBegin) {
      throw new LatimerError("This module has no code for speech; load latimer_speech.wasm.");
    }
    const o = { ...kSpeechOptions };
    for (const [name, value] of Object.entries(options)) {
      if (!(name in o)) throw new TypeError(`${name} is no option of a transcription.`);
      if (value === undefined || value === null) continue;
      const type = typeof o[name];
      if (typeof value !== type) {
        refuse(name, type === "boolean" ? "true or false" : `a ${type}`, value);
      }
      if (type === "number") whole(name, value);
      o[name] = value;
    }
    if (o.task !== "transcribe" && o.task !== "translate") {
      throw new TypeError(`task ${o.task}: it is "transcribe" or "translate".`);
    }
    const [language, prompt] = [o.language, o.prompt].map((text) => encoder.encode(text));
    if (language.length + prompt.length > this.#wasm.inputBytes()) {
      throw new LatimerError("The language or the prompt is too long.", "TEXT_TOO_LONG");
    }
    this.#fill(Uint8Array.of(...language, ...prompt));
    const speech = this.#wasm.speechBegin(
      this.#stream, language.length, prompt.length, o.maxTokens, o.task === "translate",
      o.shortWindow, !o.timestamps, !o.conditionOnPreviousText, !o.fallback);
    if (speech === 0) this.#fail();
    return speech;
  }

  // Transcribes samples in a Float32Array, or the bytes of a WAV; `onSegment` gets
  // each segment when its window has been transcribed.
  transcribe(sound, onSegment, { signal, sampleRate, ...options } = {}) {
    return this.#alone(async () => {
      const wasm = this.#wasm;
      const isSamples = sound instanceof Float32Array;
      if (sampleRate !== undefined && !isSamples) {
        throw new TypeError("sampleRate: it is of samples; a WAV has its own.");
      }
      const rate = whole("sampleRate", sampleRate ?? kSpeechRate);
      signal?.throwIfAborted();
      const speech = this.#beginSpeech(options);
      this.#onSegment = onSegment;
      const push = (bytes) => this.#push(
        bytes, (count) => wasm.speechPush(speech, count), signal, wasm.inputBytes());
      if (isSamples) await push(wavHeader(rate));
      await push(isSamples
        ? new Uint8Array(sound.buffer, sound.byteOffset, sound.byteLength) : sound);
      if (!wasm.speechFinish(speech)) this.#fail();
    });
  }

  // The numbers that a text or its translation, whatever made it, has alone.
  checkNumbers(source, translation) {
    return this.#alone(async () => {
      const texts = [source, translation].map((text) => encoder.encode(text));
      const [from, to] = texts;
      if (from.length + to.length > this.#wasm.inputBytes()) {
        throw new LatimerError("The texts are too long to be compared at once.", "TEXT_TOO_LONG");
      }
      this.#fill(Uint8Array.of(...from, ...to));
      const count = this.#wasm.checkNumbers(from.length, to.length);
      const missing = this.#wasm.missing();
      const ranges = this.#array(Uint32Array, this.#wasm.ranges(), 2 * count);
      const found = Array.from({ length: count }, (_, i) =>
        decoder.decode((i < missing ? from : to).subarray(ranges[2 * i], ranges[2 * i + 1])));
      return { missing: found.slice(0, missing), surplus: found.slice(missing) };
    });
  }

  // The source tokens of a text.
  tokenize(text) {
    return this.#alone(async () => {
      const bytes = encoder.encode(text);
      if (bytes.length > this.#wasm.inputBytes()) {
        throw new LatimerError("The text is too long to be tokenized at once.", "TEXT_TOO_LONG");
      }
      this.#fill(bytes);
      const count = this.#wasm.tokenize(bytes.length);
      if (count < 0) this.#fail();
      return Array.from(this.#array(Int32Array, this.#wasm.ids(), count));
    });
  }
}
