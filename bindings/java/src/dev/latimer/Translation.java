package dev.latimer;

/** A translation. It has no connection to its translator, which may go on or be closed. */
public final class Translation {
  private final String text;
  private final int[] tokens;
  private final float[] scores;
  private final StopReason stopReason;
  private final long generatedTokens;
  private final int sourceLength;

  Translation(
      String text,
      int[] tokens,
      float[] scores,
      StopReason stopReason,
      long generatedTokens,
      int sourceLength) {
    this.text = text;
    this.tokens = tokens;
    this.scores = scores;
    this.stopReason = stopReason;
    this.generatedTokens = generatedTokens;
    this.sourceLength = sourceLength;
  }

  /** The text; empty if ids were translated. */
  public String text() {
    return text;
  }

  /**
   * Ids in the target vocabulary, EOS included if it was produced. Of a text in several parts those
   * of the last one.
   */
  public int[] tokens() {
    return tokens.clone();
  }

  /**
   * Of each of {@link #tokens} the log-probability (natural logarithm), 0 for a forced token; null
   * unless {@link TranslateOptions#scores} asked for them.
   */
  public float[] logProbabilities() {
    return everySecondScore(0);
  }

  /**
   * Of each of {@link #tokens} the distance of its log-probability to that of the second best
   * token, which may be infinite; null unless {@link TranslateOptions#scores} asked for them.
   */
  public float[] margins() {
    return everySecondScore(1);
  }

  /** The sum of {@link #logProbabilities}; NaN if there are none. */
  public double score() {
    if (scores == null) return Double.NaN;
    double sum = 0;
    for (float logProbability : logProbabilities()) sum += logProbability;
    return sum;
  }

  /** Why it ended. */
  public StopReason stopReason() {
    return stopReason;
  }

  /** Tokens that were generated for all parts, and for a loop that was cut. */
  public long generatedTokens() {
    return generatedTokens;
  }

  /**
   * How much of the source was translated, in chars (UTF-16 units): all of it, except after {@link
   * StopReason#BUDGET} and {@link StopReason#CANCELLED}. 0 if ids were translated.
   */
  public int sourceLength() {
    return sourceLength;
  }

  @Override
  public String toString() {
    return text;
  }

  private float[] everySecondScore(int first) {
    if (scores == null) return null;
    float[] kept = new float[scores.length / 2];
    for (int i = 0; i < kept.length; ++i) kept[i] = scores[2 * i + first];
    return kept;
  }
}
