package dev.latimer;

/** One of the best translations that a search has found. */
public final class Hypothesis {
  private final String text;
  private final int[] tokens;
  private final float score;

  Hypothesis(String text, int[] tokens, float score) {
    this.text = text;
    this.tokens = tokens;
    this.score = score;
  }

  /** {@return its text; empty if ids were translated} */
  public String text() {
    return text;
  }

  /** {@return ids in the target vocabulary, EOS included if it was produced} */
  public int[] tokens() {
    return tokens.clone();
  }

  /**
   * {@return the sum of the tokens' log-probabilities, divided by their number to the power of the
   * length penalty; 0 of a greedy search}
   */
  public float score() {
    return score;
  }
}
