/** What a file that cannot be used, or a request that a model refuses, throws. */
export class LatimerError extends Error {
  /** The name of the C API's code, such as "CORRUPT"; or "DOWNLOAD", "CONVERSION" or "MICROPHONE". */
  readonly code: string;
}

export interface LoadOptions {
  /** Sentences that translateAll() decodes side by side; 8 by default. */
  lanes?: number;
  /** Most beams that a call will ask for; by default the model's number. */
  beams?: number;
  /**
   * Called with the bytes of the model that have come, and those that it has; once, at the end, if
   * the server compresses it.
   */
  onProgress?: (loaded: number, total: number) => void;
  /** false: in this thread. By default in a worker, and in Node in this thread. */
  worker?: boolean;
  /**
   * Workers that share the model, 1 by default. A page that is not cross-origin isolated has
   * one, and so has a browser that cannot share memory; info.workers says how many there are.
   */
  workers?: number;
  /**
   * Where latimer.wasm is; by default beside latimer.mjs, with relaxed SIMD if the engine has
   * it. In this thread, a module, too.
   */
  wasm?: string | URL | WebAssembly.Module;
  /** The same of latimer_shared.wasm, which several workers need. */
  sharedWasm?: string | URL;
  signal?: AbortSignal;
}

/** What is left out is the model's own. */
export interface TranslateOptions {
  /** Codes of info.languages; a multilingual model needs both. */
  sourceLang?: string;
  targetLang?: string;
  /** Put before the text, such as ">>deu<<". */
  languageCode?: string;
  task?: string;
  prefix?: string;
  /** Tokens of a translation, or of each part of a long text, EOS included. */
  maxTargetTokens?: number;
  minTargetTokens?: number;
  /** What a text may use, with all its parts. */
  budgetTokens?: number;
  budgetMs?: number;
  /** 1: greedy search. */
  beams?: number;
  /**
   * Instead of beams: that many `hypotheses`, which begin with the best tokens after
   * `targetPrefix`, each completed greedily. Needs as many beams of LoadOptions.
   */
  alternatives?: number;
  lengthPenalty?: number;
  earlyStopping?: boolean | "never";
  noRepeatNgram?: number;
  repetitionPenalty?: number;
  /** What the translation begins with. */
  targetPrefix?: string;
  /** Words and phrases that may not be produced. */
  bannedWords?: string[];
  /** Words and phrases of the source, and what stands for them. */
  terms?: Record<string, string>;
  /** Placeholders, URLs, e-mail addresses, numbers with units, paths and the like come out as they are. */
  protect?: boolean;
  /** Stretches of a single text, as String.slice() takes them, that come out as they are. */
  protectedRanges?: [number, number][];
  /** false: a text that fits the longest source is translated at once, not by sentences and lines. */
  sentences?: boolean;
  /** true: lines are wrapped, and end a sentence only at a blank line and in a list. */
  paragraphs?: boolean;
  /** false: do not read characters that the model lacks as what it has (a dash as -). */
  fold?: boolean;
  /** false: the model reads its unknown token for characters that it lacks, and they are lost. */
  keepUnknown?: boolean;
  /** true: draw tokens by their probabilities; so does each of the next three. */
  sample?: boolean;
  /** Above 1: tokens are more alike. */
  temperature?: number;
  /** How many of the most likely tokens may be drawn. */
  topK?: number;
  /** Only the most likely tokens, as many as sum up to it. */
  topP?: number;
  /** Only tokens whose probability is at least this share of the most likely one's. */
  minP?: number;
  /** Other tokens with another seed, a whole number. */
  seed?: number;
  /** false: do not stop loops and translations that are far too long. */
  guards?: boolean;
  /** The weights to keep. */
  attention?: "cross" | "encoder";
  /** Keep the log-probabilities of tokens and words. */
  scores?: boolean;
  /** Keep where in the source each token comes from. */
  alignment?: boolean;
  /** How many hypotheses to keep, up to `beams`. */
  nBest?: number;
  /** Ends the call, which then throws the signal's reason. */
  signal?: AbortSignal;
}

export type StopReason = "eos" | "length_limit" | "loop" | "budget" | "cancelled";

/** Rows are target tokens, columns source tokens; each row has the sum 1. */
export interface Attention {
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  /** Row by row; within a row layer by layer, within a layer head by head. */
  weights: Float32Array;
  sourcePieces: string[];
  targetPieces: string[];
}

/** A word with its punctuation, and the mean log-probability of its tokens. */
export interface WordScore {
  text: string;
  score: number;
}

/** Where a target token comes from: begin and end, as String.slice() takes them. */
export interface TokenLink {
  /** In the translation; empty for tokens without text, such as EOS. */
  target: [number, number];
  /** In the text: the source token that the decoder attended to most; empty if there is none. */
  source: [number, number];
}

/** One of the best translations. */
export interface Hypothesis {
  text: string;
  tokens: number[];
  /** Sum of log-probabilities, divided by the length to the power of the length penalty. */
  score: number;
}

/** With several parts, everything is of all of them. */
export interface Translation {
  text: string;
  /** Target ids, EOS included if it was produced. */
  tokens: number[];
  /** Source ids, with those that the model puts around every text. */
  source: number[];
  stopReason: StopReason;
  /** How many were translated by themselves: sentences, or parts of long ones. */
  parts: number;
  generatedTokens: number;
  /** Not of translateAll(). */
  milliseconds?: number;
  /** Natural logarithms, one for each of `tokens`. */
  scores?: number[];
  /** The mean of `scores`, an estimate of quality. */
  meanScore?: number;
  /** With scores; empty if the text has protected spans. */
  words?: WordScore[];
  /** One for each of `tokens`. */
  alignment?: TokenLink[];
  /**
   * With nBest: the best first. With several parts, each is made of the hypotheses of the same
   * rank, and its score is the sum of theirs.
   */
  hypotheses?: Hypothesis[];
  /** Not with several parts: translate the sources of translateParagraphs() for it. */
  attention?: Attention;
}

/** A portion of the translation of running text. */
export interface Portion {
  text: string;
  /** What it translates; empty for white space. */
  source: string;
  /** The line that the sentence begins on, from 1. */
  line: number;
  /** Whether the sentence exceeds the longest source. */
  cut: boolean;
  stopReason: StopReason;
}

/** Numbers as the texts write them. */
export interface NumberCheck {
  /** The translation lacks them. */
  missing: string[];
  /** The source lacks them. */
  surplus: string[];
}

export interface ModelInfo {
  fileBytes: number;
  sourceVocabulary: number;
  targetVocabulary: number;
  maxSourceTokens: number;
  maxTargetTokens: number;
  hasTokenizer: boolean;
  weights: string;
  license: string;
  /** Of Latimer. */
  version: string;
  languages: string[];
  lanes: number;
  /** Of each worker. */
  workspaceBytes: number;
  /** Of WebAssembly, with model, workspaces and program; it does not grow. */
  memoryBytes: number;
  workers: number;
}

/** A model. Calls wait for the calls before them, unless there is an idle worker. */
export class Latimer {
  private constructor();
  /**
   * Loads a model file from a URL, a file or its bytes; in Node also from a path, which may be
   * relative to the working directory.
   */
  static load(
    source: string | URL | Blob | ArrayBuffer | ArrayBufferView,
    options?: LoadOptions,
  ): Promise<Latimer>;
  readonly info: ModelInfo;
  /** Translates a text of any length. */
  translate(text: string, options?: TranslateOptions): Promise<Translation>;
  /** Translates texts in all workers, as many side by side as there are lanes. */
  translateAll(texts: Iterable<string>, options?: TranslateOptions): Promise<Translation[]>;
  /** The translation so far, after each token. To leave the loop ends the call. */
  stream(text: string, options?: TranslateOptions): AsyncGenerator<string, Translation>;
  /** Translates running text sentence by sentence. */
  translateParagraphs(text: string, options?: TranslateOptions): AsyncGenerator<Portion>;
  /**
   * Translates HTML sentence by sentence. Each tag comes back once, around the words that it stood
   * around.
   */
  translateHtml(html: string, options?: TranslateOptions): Promise<string>;
  /** The numbers that only a text or only its translation has, whatever translated it. */
  checkNumbers(source: string, translation: string): Promise<NumberCheck>;
  /** The source ids of a text, as the original tokenizer gives them. */
  tokenize(text: string): Promise<number[]>;
  /** Frees the memory, and ends what workers do. Later calls fail. */
  close(): void;
}

/**
 * Two models: the second translates what the first gives. Options are for both, but sourceLang is
 * for the first, and targetLang, nBest and alternatives for the second. Options that belong to one
 * model or one source are refused. Results are those of the second model.
 */
export class Pivot {
  constructor(first: Latimer, second: Latimer);
  readonly first: Latimer;
  readonly second: Latimer;
  translate(text: string, options?: TranslateOptions): Promise<Translation>;
  translateAll(texts: Iterable<string>, options?: TranslateOptions): Promise<Translation[]>;
  translateParagraphs(text: string, options?: TranslateOptions): AsyncGenerator<Portion>;
  translateHtml(html: string, options?: TranslateOptions): Promise<string>;
  /** Closes both. */
  close(): void;
}

export type TranscriberLoadOptions = Omit<LoadOptions, "lanes" | "beams" | "workers" | "sharedWasm">;

/** What is left out is as in OpenAI's program. */
export interface TranscribeOptions {
  /** What is spoken: one of info.languages, such as "de". By default the model tells. */
  language?: string;
  /** "translate": write English, whatever is spoken, with a model of several languages. */
  task?: "transcribe" | "translate";
  /** Samples per second of a Float32Array, 8,000 to 48,000; 16,000 by default. */
  sampleRate?: number;
  /** Words of the subject, as they are to be spelled. */
  prompt?: string;
  /** false: each window of 30 seconds is a segment, cut in a pause. */
  timestamps?: boolean;
  /** false: read each window without the text before it. */
  conditionOnPreviousText?: boolean;
  /** false: never try again at a higher temperature, if a text repeats itself or is unlikely. */
  fallback?: boolean;
  /** true: encode no more than what was spoken. Less work, but the text may differ. */
  shortWindow?: boolean;
  /** Of each window. */
  maxTokens?: number;
  /** Ends the call after the window under way; the call then throws the signal's reason. */
  signal?: AbortSignal;
}

/** What is said from one time to another. From `temperature` on, all is of its window. */
export interface Segment {
  /** Seconds from the beginning of the recording. */
  start: number;
  end: number;
  /** With the space that it begins with: the texts of all segments, joined, are the text. */
  text: string;
  tokens: number[];
  /** That the tokens were drawn at; 0: none was drawn. */
  temperature: number;
  /** The mean log-probability of the tokens. */
  avgLogprob: number;
  /** The bytes of the text, divided by what they compress to; high if it repeats itself. */
  compressionRatio: number;
  /** The probability that nothing is said. */
  noSpeechProb: number;
  /** What is spoken; empty if the model has one language. */
  language: string;
  /** 1 if the language was given. */
  languageProbability: number;
  stopReason: StopReason;
}

export interface Transcript {
  text: string;
  segments: Segment[];
}

/**
 * One channel of samples from -1 to 1; or a WAV of PCM or floats, mono or stereo, at 8 to 48 kHz,
 * as a URL, a file or its bytes, and in Node as a path.
 */
export type Sound = Float32Array | string | URL | Blob | ArrayBuffer | ArrayBufferView;

/** A model that reads speech, such as Whisper. Calls wait for the calls before them. */
export class Transcriber {
  private constructor();
  /** Loads a model file, as Latimer.load() does, into latimer_speech.wasm. Others are refused. */
  static load(
    source: string | URL | Blob | ArrayBuffer | ArrayBufferView,
    options?: TranscriberLoadOptions,
  ): Promise<Transcriber>;
  readonly info: ModelInfo;
  /** Writes what is said in a recording of any length. */
  transcribe(sound: Sound, options?: TranscribeOptions): Promise<Transcript>;
  /** Each segment, as soon as its window has been transcribed. To leave the loop ends the call. */
  stream(sound: Sound, options?: TranscribeOptions): AsyncGenerator<Segment, void>;
  /** Frees the memory. Later calls fail. */
  close(): void;
}
