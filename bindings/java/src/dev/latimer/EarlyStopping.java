package dev.latimer;

/** When a search with several beams ends that has as many hypotheses as beams. */
public enum EarlyStopping {
  /** When the best beam, if it ended now, would score lower: {@code early_stopping=False}. */
  HEURISTIC,
  /** At once: {@code early_stopping=True}. */
  ALWAYS,
  /** When no beam can score higher any more, however long: {@code early_stopping="never"}. */
  NEVER
}
