// What is said into a microphone, as samples, pause by pause.
import { LatimerError } from "./engine.mjs";

// In blocks of a tenth of a second:
const kPause = 8;     // a pause,
const kLead = 3;      // what is kept of a pause before speech,
const kWaiting = 20;  // what is kept while nothing is said,
const kLong = 200;    // after so many, the shortest pause will do,
const kMost = 290;    // and none is needed: models hear 30 seconds at once.
// Of the loudest block, what a block of a pause is below; and how often the
// quietest one goes into the loudest at most, if nothing is said, which is also
// so if all is as quiet as the last pause.
const kQuiet = 0.15;
const kVaries = 3;
const kSilence = 0.002;  // Of samples from -1 to 1.
const kMostRate = 48000;

const kRefusals = {
  NotAllowedError: "The microphone is not allowed: allow it in the browser's settings for this page.",
  NotFoundError: "There is no microphone.",
  NotReadableError: "The microphone cannot be used; another program may be using it.",
};

const refused = (message) => new LatimerError(message, "MICROPHONE");

const loudness = (block) =>
  Math.sqrt(block.reduce((sum, sample) => sum + sample * sample, 0) / block.length);

// Cuts what is said in pauses.
export class PauseCutter {
  #blocks = [];
  #levels = [];
  #before = 0;  // The loudest of what was said last.

  // The speech that ends with this block; null: none does.
  push(block) {
    this.#blocks.push(block);
    this.#levels.push(loudness(block));
    const count = this.#blocks.length;
    if (!this.#speaks()) {
      if (count > kWaiting) [this.#blocks, this.#levels].forEach((list) => list.shift());
      return null;
    }
    const pause = count - 1 - this.#levels.findLastIndex(this.#isLoud());
    return count >= kMost || pause >= (count >= kLong ? 1 : kPause) ? this.take() : null;
  }

  // What has been said since the last pause; null: nothing.
  take() {
    const begin = this.#levels.findIndex(this.#isLoud()) - kLead;
    const blocks = this.#speaks() ? this.#blocks.slice(Math.max(0, begin)) : [];
    if (blocks.length > 0) this.#before = Math.max(...this.#levels);
    this.#blocks = [];
    this.#levels = [];
    if (blocks.length === 0) return null;
    const samples = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
    blocks.reduce((at, block) => (samples.set(block, at), at + block.length), 0);
    return samples;
  }

  #speaks() {
    const loudest = Math.max(...this.#levels);
    return loudest > Math.max(
      kSilence, kVaries * Math.min(...this.#levels), kQuiet * this.#before);
  }
  #isLoud() {
    const least = kQuiet * Math.max(...this.#levels);
    return (level) => level >= least;
  }
}

export class Microphone {
  #stream;
  #context;
  #cutter = new PauseCutter();
  #said = [];
  #stopped = false;
  #wake = () => {};

  static async open({ deviceId } = {}) {
    if (!globalThis.isSecureContext || !navigator.mediaDevices) {
      throw refused("Browsers let a page use the microphone only over https, or from localhost.");
    }
    const microphone = new Microphone();
    try {
      await microphone.#listen(deviceId);
    } catch (error) {
      microphone.stop();
      throw refused(kRefusals[error.name] ?? `The microphone cannot be used: ${error.message}.`);
    }
    return microphone;
  }

  // At the rate of the microphone, as every browser can; what reads the samples
  // resamples. The microphone comes last, so that no word is lost.
  async #listen(deviceId) {
    this.#context = new AudioContext();
    if (this.sampleRate > kMostRate) {
      await this.#context.close();
      this.#context = new AudioContext({ sampleRate: kMostRate });
    }
    const context = this.#context;
    await context.audioWorklet.addModule(new URL("microphone_worklet.mjs", import.meta.url));
    const recorder = new AudioWorkletNode(context, "latimer-recorder", { numberOfOutputs: 0 });
    recorder.port.onmessage = ({ data }) => this.#give(this.#cutter.push(data));
    // As it is: models were trained on sound that nothing has changed.
    this.#stream = await navigator.mediaDevices.getUserMedia({ audio: {
      deviceId, channelCount: 1, echoCancellation: false, noiseSuppression: false,
      autoGainControl: false,
    } });
    context.createMediaStreamSource(this.#stream).connect(recorder);
    for (const track of this.#stream.getTracks()) track.onended = () => this.stop();
    await context.resume();
  }

  #give(samples) {
    if (samples === null || this.#stopped) return;
    this.#said.push(samples);
    this.#wake();
  }

  get sampleRate() {
    return this.#context.sampleRate;
  }

  async *speech() {
    try {
      for (;;) {
        while (this.#said.length > 0) yield this.#said.shift();
        if (this.#stopped) return;
        await new Promise((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.stop();
    }
  }

  stop() {
    if (this.#stopped) return;
    this.#give(this.#cutter.take());
    this.#stopped = true;
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#context?.close();
    this.#wake();
  }
}
