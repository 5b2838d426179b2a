// What microphone.mjs runs in the thread of the sound: sends the samples of the
// first channel, a tenth of a second at a time.
class Recorder extends AudioWorkletProcessor {
  #block = new Float32Array(Math.round(sampleRate / 10));
  #count = 0;

  process([[samples]]) {
    for (let at = 0; at < (samples?.length ?? 0);) {
      const some = samples.subarray(at, at + this.#block.length - this.#count);
      this.#block.set(some, this.#count);
      this.#count += some.length;
      at += some.length;
      if (this.#count < this.#block.length) break;
      this.port.postMessage(this.#block.slice());
      this.#count = 0;
    }
    return true;
  }
}

registerProcessor("latimer-recorder", Recorder);
