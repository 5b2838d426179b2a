package dev.latimer;

/** When a search with several beams ends that has as many hypotheses as beams. */
public enum EarlyStopping {
  /** When the best beam, if it ended now, would score lower: {@code early_stopping=False}. */
  HEURISTIC("false"),
  /** At once: {@code early_stopping=True}. */
  ALWAYS("true"),
  /** When no beam can score higher any more, however long: {@code early_stopping="never"}. */
  NEVER("never");

  /** As {@code latimer_set_option} takes it. */
  final String value;

  EarlyStopping(String value) {
    this.value = value;
  }
}
