package dev.latimer;

/** How to load a model. Each method returns this object; what is not set has the default. */
public final class LoadOptions {
  int threads = 1;
  boolean skipChecksum;

  /**
   * The number of threads that share the work of a sentence, the caller's included; 1 by default.
   * More than the CPU has large cores make it slower.
   */
  public LoadOptions threads(int threads) {
    if (threads < 1) throw new IllegalArgumentException("threads: " + threads + " is less than 1.");
    this.threads = threads;
    return this;
  }

  /** Skips the pass over the file that finds damage. Only for a file that was checked before. */
  public LoadOptions skipChecksum(boolean skip) {
    this.skipChecksum = skip;
    return this;
  }
}
