package dev.latimer;

/** A word of a translation, with its punctuation, and how sure the model is of it. */
public final class WordScore {
  private final String text;
  private final float score;

  WordScore(String text, float score) {
    this.text = text;
    this.score = score;
  }

  /** {@return the word} */
  public String text() {
    return text;
  }

  /** {@return the mean of its tokens' log-probabilities (natural logarithms)} */
  public float score() {
    return score;
  }
}
