package dev.latimer;

/** How to load a model. Each method returns this object; what is not set has the default. */
public final class LoadOptions {
  private int threads = 1;
  private boolean pinThreads;
  private int lanes = 1;
  private int beams;
  private boolean verifyChecksum = true;

  /** In the order of {@code latimer_jni_load.cc}. */
  int[] numbers() {
    return new int[] {threads, pinThreads ? 1 : 0, lanes, beams, verifyChecksum ? 0 : 1};
  }

  /**
   * The number of threads that share the work of a sentence, the caller's included; 1 by default.
   * More than the CPU has large cores make it slower.
   *
   * @param threads how many
   * @return this object
   */
  public LoadOptions threads(int threads) {
    this.threads = positive("threads", threads);
    return this;
  }

  /**
   * Whether to bind each thread but the caller's to a processor; false by default.
   *
   * @param pin whether to bind them
   * @return this object
   */
  public LoadOptions pinThreads(boolean pin) {
    this.pinThreads = pin;
    return this;
  }

  /**
   * Texts of {@link Translator#translateAll(java.util.List, TranslateOptions)} and sentences of
   * HTML that are decoded side by side, which is faster; 1 by default. Each takes memory.
   *
   * @param lanes how many
   * @return this object
   */
  public LoadOptions lanes(int lanes) {
    this.lanes = positive("lanes", lanes);
    return this;
  }

  /**
   * The most {@link TranslateOptions#beams} of a translation; by default as many as the model asks
   * for. Each takes memory.
   *
   * @param beams how many
   * @return this object
   */
  public LoadOptions beams(int beams) {
    this.beams = positive("beams", beams);
    return this;
  }

  /**
   * Whether to search the file for damage. Give false only for a file that was checked before.
   *
   * @param verify whether to search it; true if nothing is said
   * @return this object
   */
  public LoadOptions verifyChecksum(boolean verify) {
    this.verifyChecksum = verify;
    return this;
  }

  private static int positive(String name, int number) {
    if (number < 1) throw new IllegalArgumentException(name + ": " + number + " is less than 1.");
    return number;
  }
}
