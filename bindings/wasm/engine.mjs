// A model in WebAssembly, in the thread that calls it. latimer.mjs runs it in a
// worker.
import { joinParts, kStopReasons, linkUnits, worstReason } from "./parts.mjs";

const kPage = 65536;
const kSharedPages = 16;  // As CMakeLists.txt has them.
const kMostPages = 65536;
const kStackBytes = 65536;
const kBudget = kStopReasons.indexOf("budget");
const kAttention = ["none", "cross", "encoder", "decoder"];
const kEarlyStopping = new Map([[undefined, 0], [false, 1], [true, 2], ["never", 3]]);
const kTexts = [
  "sourceLang", "targetLang", "task", "prefix", "targetPrefix", "languageCode",
];
const kLanguageCode = kTexts.indexOf("languageCode");
const kNumbers = [
  "maxTargetTokens", "minTargetTokens", "budgetTokens", "budgetMs", "beams",
  "lengthPenalty", "noRepeatNgram", "repetitionPenalty", "temperature", "topP", "topK", "seed",
  "nBest",
];
const kOthers = [
  "earlyStopping", "guards", "attention", "scores", "onToken", "signal", "sample", "terms",
  "protect", "bannedWords", "alignment",
];
// Words of latimer_translation, in this order.
const kTranslation = [
  "structBytes", "text", "textBytes", "tokens", "tokenCount", "sourceBytes", "spaceFollows",
  "stopReason", "generatedTokens", "source", "sourceCount", "scores", "attention", "layers",
  "heads", "rows", "weights", "hypothesisCount", "hypotheses", "links", "linkCount",
];
// Milliseconds of work after which messages and events have their turn.
const kTurn = 12;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class LatimerError extends Error {
  name = "LatimerError";
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

function number(options, name, otherwise) {
  const value = options[name] ?? otherwise;
  if (typeof value !== "number") throw new TypeError(`${name}: give a number.`);
  return value;
}

export class Engine {
  #wasm;
  #memory;
  #busy = Promise.resolve();
  #onToken = null;
  #onText = null;
  #failure = null;
  #stream = 0;
  #texts = 0;
  #model = null;

  // `chunks` are those of the model file, of `bytes` bytes in all. With a shared
  // `memory`, `shared` is what join() needs.
  static async load(module, chunks, bytes, { lanes = 8, beams = 0 } = {}, memory) {
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
      failed: (message) => {
        throw new LatimerError(this.#string(message));
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
      throw new LatimerError(`The model has ended after ${at} of ${bytes} bytes.`);
    }
    const scratch = this.#reserve(this.#wasm.scratchBytes());
    const workspaceBytes = this.#wasm.plan(image, bytes, lanes, beams, scratch) >>> 0;
    if (workspaceBytes === 0) this.#fail();
    this.#model = { image, bytes, lanes, beams, workspaceBytes };
    // The scratch is a part of the workspace: nobody else grows this memory.
    const missing = scratch + workspaceBytes - this.#memory.buffer.byteLength;
    if (missing > 0) this.#reserve(missing);
    this.#open(scratch);
  }

  // Nothing grows from here on.
  #open(workspace) {
    const { image, bytes, lanes, beams, workspaceBytes } = this.#model;
    this.#stream = this.#reserve(this.#wasm.streamBytes());
    this.#texts = this.#reserve(Math.max(lanes, 1) * this.#wasm.inputBytes());
    if (!this.#wasm.load(image, bytes, workspace, workspaceBytes, lanes, beams)) this.#fail();
    this.info = this.#readInfo();
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
        "close other pages, or take a smaller model.");
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
  #fail() {
    throw new LatimerError(this.#string(this.#wasm.message()));
  }

  #readInfo() {
    const wasm = this.#wasm;
    const { lanes, workspaceBytes } = this.#model;
    const found = wasm.info();
    if (found === 0) this.#fail();
    const names = [
      "fileBytes", "bytesPerToken", "encoderLayers", "decoderLayers", "dModel",
      "sourceVocabulary", "targetVocabulary", "maxSourceTokens", "maxTargetTokens",
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
    info.kernels = [];
    for (let at; (at = wasm.kernelName(info.kernels.length)); ) {
      info.kernels.push(this.#string(at));
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
      done();
    }
  }

  #setOptions(options) {
    for (const name of Object.keys(options)) {
      if (![kTexts, kNumbers, kOthers].some((names) => names.includes(name))) {
        throw new TypeError(`${name} is no option of a translation.`);
      }
    }
    const wasm = this.#wasm;
    wasm.newOptions();
    kTexts.forEach((name, index) => {
      if (options[name] !== undefined) this.#setText(index, name, options[name]);
    });
    this.#setLimits(options);
    const early = kEarlyStopping.get(options.earlyStopping);
    if (early === undefined) {
      throw new TypeError('earlyStopping: give true, false or "never".');
    }
    wasm.setSearch(
      number(options, "beams", 0), number(options, "lengthPenalty", NaN), early,
      number(options, "noRepeatNgram", -1), number(options, "repetitionPenalty", 0));
    const { temperature, topP, topK, sample } = options;
    if (sample || topK || temperature !== undefined || topP !== undefined) {
      wasm.setSampling(
        number(options, "temperature", 1), number(options, "topP", 1),
        number(options, "topK", 0), number(options, "seed", 0));
    }
    this.#setPhrases(options);
    const attention = kAttention.indexOf(options.attention ?? "none");
    if (attention < 0) {
      throw new TypeError('attention: give "cross", "encoder" or "decoder".');
    }
    wasm.setInsight(attention, options.scores ? 1 : 0, options.alignment ? 1 : 0);
    const nBest = number(options, "nBest", 0);
    if (nBest > Math.max(1, options.beams ?? 0)) {
      throw new TypeError(`nBest ${nBest} needs as many beams; give beams, too.`);
    }
  }

  #setLimits(options) {
    this.#wasm.setLimits(
      number(options, "maxTargetTokens", 0), number(options, "minTargetTokens", 0),
      number(options, "budgetTokens", 0), number(options, "budgetMs", 0),
      options.guards === false ? 0 : 1);
  }

  #setPhrases({ terms = {}, protect = false, bannedWords = [] }) {
    const wasm = this.#wasm;
    wasm.setProtect(protect ? 1 : 0);
    const fill = (name, ...texts) => {
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

  #setText(index, name, text) {
    const bytes = encoder.encode(text);
    this.#fill(bytes);
    if (!this.#wasm.setText(index, this.#wasm.input(), bytes.length)) {
      throw new LatimerError(`${name} is too long.`);
    }
  }

  #fill(bytes) {
    this.#array(Uint8Array, this.#wasm.input(), bytes.length).set(bytes);
  }

  // Begins part `part`, from 0, of text `number`, from 1, and gives the bytes
  // that it takes. The text's own language code (>>de<<) stands in its first
  // part and holds for all; only the first part begins with the target prefix.
  // Slot `slot` of the texts is taken until the part has finished.
  #beginPart(rest, ticket, slot, number, part, { languageCode = "", targetPrefix }) {
    const wasm = this.#wasm;
    const isFirst = part === 0;
    wasm.setStream(number + part * 2 ** 40, isFirst && targetPrefix ? 1 : 0);
    if (isFirst) this.#setText(kLanguageCode, "languageCode", languageCode);
    const most = Math.min(rest.length, wasm.inputBytes());
    const text = this.#texts + slot * wasm.inputBytes();
    this.#array(Uint8Array, text, most).set(rest.subarray(0, most));
    const code = isFirst ? wasm.languageCodeBytes(text, most) : 0;
    const taken = wasm.begin(text, most, ticket);
    if (taken < 0) this.#fail();
    if (code > 0) wasm.setText(kLanguageCode, text, code);
    return taken;
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
    this.#setOptions(options);
    const { signal, onToken } = options;
    signal?.throwIfAborted();
    const begun = performance.now();
    let rest = encoder.encode(text);
    let tokens = [];
    const turns = new Turns();
    const parts = [];
    let soFar = "";
    let generated = 0;
    do {
      this.#setLimits({ ...options, ...this.#budget(options, generated, begun) });
      tokens = [];
      this.#onToken = (index, token) => {
        tokens.length = index;
        tokens.push(token);
      };
      const taken = this.#beginPart(rest, 0, 0, 1, parts.length, options);
      const space = this.#read("spaceFollows") !== 0;
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
      const part = { ...this.#finished(options, rest.subarray(0, taken)), space };
      parts.push(part);
      generated += part.generatedTokens;
      rest = rest.subarray(taken);
      if (worstReason(parts) < kBudget && rest.length > 0 &&
          this.#spent(options, generated, begun)) {
        part.stopReason = "budget";
      }
      soFar += part.text + (space ? " " : "");
    } while (rest.length > 0 && worstReason(parts) < kBudget);
    return { ...joinParts(parts), milliseconds: performance.now() - begun };
  }

  #budget({ budgetTokens = 0, budgetMs = 0 }, generated, begun) {
    return {
      budgetTokens: budgetTokens && Math.max(1, budgetTokens - generated),
      budgetMs: budgetMs && Math.max(1, Math.round(begun + budgetMs - performance.now())),
    };
  }
  #spent({ budgetTokens = 0, budgetMs = 0 }, generated, begun) {
    return (budgetTokens > 0 && generated >= budgetTokens) ||
      (budgetMs > 0 && performance.now() - begun >= budgetMs);
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
      tokens: numbers(Int32Array, t.tokens, t.tokenCount),
      source: numbers(Int32Array, t.source, t.sourceCount),
      stopReason: kStopReasons[t.stopReason],
      generatedTokens: t.generatedTokens,
    };
    if (options.scores) {
      const pairs = numbers(Float32Array, t.scores, 2 * t.tokenCount);
      part.scores = pairs.filter((_, i) => i % 2 === 0);
      const words = wasm.scoreWords();
      const ends = numbers(Uint32Array, wasm.words(), 3 * words);
      const means = numbers(Float32Array, wasm.words(), 3 * words);
      part.words = Array.from({ length: words }, (_, i) => ({
        text: decoder.decode(text.subarray(ends[3 * i], ends[3 * i + 1])),
        score: means[3 * i + 2],
      }));
    }
    if (options.alignment) {
      const ends = numbers(Uint32Array, t.links, 4 * t.linkCount);
      Object.assign(part, linkUnits(ends, text, source));
    }
    if (t.weights !== 0 && options.attention !== "decoder") {
      const { layers, heads, rows, sourceCount: columns } = t;
      const count = rows * layers * heads * columns;
      part.attention = {
        layers, heads, rows, columns,
        weights: this.#array(Float32Array, t.weights, count).slice(),
        sourcePieces: this.#pieces(wasm.sourcePiece, part.source),
        targetPieces: this.#pieces(wasm.targetPiece, part.tokens),
      };
    }
    // The last: it overwrites the text.
    const most = Math.min(options.nBest ?? 0, t.hypothesisCount);
    if (options.nBest) {
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
    return found.map(({ tokens, length, score }) => {
      const text = this.#wasm.detokenize(tokens, length);
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
    if (options.onToken || options.budgetTokens || options.budgetMs) {
      throw new TypeError("onToken, budgetTokens and budgetMs are for one text.");
    }
    this.#setOptions(options);
    const turns = new Turns();
    const results = texts.map(() => null);
    const parts = [];  // By ticket.
    const slots = [...Array(Math.max(this.#model.lanes, 1)).keys()];
    let next = 0;
    const take = () => (counter ? Atomics.add(counter, 0, 1) : next++);
    let text = -1;  // The number of the one that begins.
    let rest = null;
    let left = 0;
    while (text < texts.length || left > 0) {
      while (left < most && text < texts.length && slots.length > 0 && wasm.canBegin()) {
        if (rest === null) {
          text = take();
          if (text >= texts.length) break;
          rest = encoder.encode(texts[text]);
          results[text] = [];
        }
        const slot = slots.pop();
        const taken = this.#beginPart(
          rest, parts.length, slot, text + 1, results[text].length, options);
        const part = {
          slot, read: rest.subarray(0, taken), space: this.#read("spaceFollows") !== 0,
        };
        results[text].push(part);
        parts.push(part);
        ++left;
        rest = taken < rest.length ? rest.subarray(taken) : null;
      }
      if (left === 0) break;
      const ticket = wasm.advance();
      if (ticket === -2) this.#fail();
      if (ticket >= 0) {
        const part = parts[ticket];
        Object.assign(part, this.#finished(options, part.read));
        slots.push(part.slot);
        --left;
      }
      await turns.pause(options.signal);
    }
    return results.map((of) => of && joinParts(of));
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
      const turns = new Turns();
      const bytes = encoder.encode(text);
      for (let at = 0; at < bytes.length; at += 128) {
        const some = bytes.subarray(at, at + 128);
        this.#fill(some);
        if (!wasm.streamPush(stream, some.length)) this.#fail();
        await turns.pause(options.signal);
      }
      if (!wasm.streamFinish(stream)) this.#fail();
    });
  }

  // The source tokens of a text.
  tokenize(text) {
    return this.#alone(async () => {
      const bytes = encoder.encode(text);
      if (bytes.length > this.#wasm.inputBytes()) {
        throw new LatimerError("The text is too long to be tokenized at once.");
      }
      this.#fill(bytes);
      const count = this.#wasm.tokenize(bytes.length);
      if (count < 0) this.#fail();
      return Array.from(this.#array(Int32Array, this.#wasm.ids(), count));
    });
  }
}
