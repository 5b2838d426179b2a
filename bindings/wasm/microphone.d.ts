/** What is said into a microphone, for Transcriber.transcribe(). Only in browsers. */
export class Microphone {
  private constructor();
  /**
   * Asks for the microphone, and listens. LatimerError with the code "MICROPHONE": the page has no
   * secure origin, the user does not allow it, or there is none.
   */
  static open(options?: { deviceId?: string }): Promise<Microphone>;
  /** Samples per second. */
  readonly sampleRate: number;
  /**
   * What is said from one pause of 0.8 seconds to the next, at most 29 seconds, as samples of one
   * channel; at stop() the rest. To leave the loop stops the microphone.
   */
  speech(): AsyncGenerator<Float32Array, void>;
  stop(): void;
}
