export interface ConvertOptions {
  /** The model's name, which the file keeps; "model" by default. */
  name?: string;
  /** Options of latimer-convert, such as ["--weights", "f32"]. */
  args?: string[];
  /** false: in this thread, where the files must be bytes. By default in a worker if there are any. */
  worker?: boolean;
  /** Where latimer-convert.wasm is; by default beside converter.mjs. In this thread, a module, too. */
  wasm?: string | URL | WebAssembly.Module;
  /** What the converter does, and how much of it, in percent. */
  onProgress?: (step: string, percent: number) => void;
  /** Ends the conversion, which then throws the signal's reason. */
  signal?: AbortSignal;
}

export interface Conversion {
  /** The model file, for Latimer.load(). */
  model: Blob;
  /** Type and sizes in a line. */
  report: string;
  warnings: string[];
}

/**
 * Converts a model of Hugging Face or Marian: its files by their names in its
 * folder. Throws a LatimerError with the sentence that latimer-convert says.
 */
export function convert(
  files: Iterable<[path: string, data: Blob | Uint8Array]>,
  options?: ConvertOptions,
): Promise<Conversion>;
