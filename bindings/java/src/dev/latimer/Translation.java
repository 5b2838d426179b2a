package dev.latimer;

import java.util.Collections;
import java.util.List;

/**
 * A translation. It has no connection to its translator, which may go on or be closed. A text is
 * translated in parts, its sentences; everything is of all of them, but for the attention, which a
 * text of several parts lacks.
 */
public final class Translation {
  private final String text;
  private final int[] tokens;
  private final int[] sourceTokens;
  private final float[] scores; // Two for each token, or null.
  private final List<WordScore> words;
  private final List<TokenLink> alignment;
  private final List<Hypothesis> hypotheses;
  private final Attention attention;
  private final StopReason stopReason;
  private final int parts;
  private final long generatedTokens;
  private final int sourceLength;

  /** Takes the lists of {@code parts}, which may not change any more. */
  Translation(Parts parts) {
    boolean hasWords = parts.source != null && parts.scores != null;
    this.text = parts.text.toString();
    this.tokens = parts.tokens;
    this.sourceTokens = parts.sourceTokens;
    this.scores = parts.scores;
    this.words = hasWords ? Collections.unmodifiableList(parts.words) : null;
    this.alignment = parts.links == null ? null : Collections.unmodifiableList(parts.links);
    this.hypotheses = Collections.unmodifiableList(parts.hypotheses);
    this.attention = parts.attention;
    this.stopReason = parts.stopReason;
    this.parts = parts.count;
    this.generatedTokens = parts.generatedTokens;
    this.sourceLength = parts.sourceLength;
  }

  /** {@return the text; empty if ids were translated} */
  public String text() {
    return text;
  }

  /** {@return ids in the target vocabulary, EOS included if it was produced} */
  public int[] tokens() {
    return tokens.clone();
  }

  /** {@return ids in the source vocabulary, with those that the model puts around every text} */
  public int[] sourceTokens() {
    return sourceTokens.clone();
  }

  /**
   * {@return of each of {@link #tokens} the log-probability (natural logarithm), 0 for a forced
   * token; null unless {@link TranslateOptions#scores} asked for them}
   */
  public float[] logProbabilities() {
    return everySecondScore(0);
  }

  /**
   * {@return of each of {@link #tokens} the distance of its log-probability to that of the second
   * best token, which may be infinite; null unless {@link TranslateOptions#scores} asked for them}
   */
  public float[] margins() {
    return everySecondScore(1);
  }

  /** {@return the sum of {@link #logProbabilities}; NaN if there are none} */
  public double score() {
    if (scores == null) return Double.NaN;
    double sum = 0;
    for (float logProbability : logProbabilities()) sum += logProbability;
    return sum;
  }

  /**
   * {@return the mean of {@link #logProbabilities}, an estimate of quality; NaN if there are none,
   * and of no use with terms and protected spans}
   */
  public double meanScore() {
    return scores == null ? Double.NaN : score() / tokens.length;
  }

  /**
   * {@return the words of {@link #text} with their scores; null unless {@link
   * TranslateOptions#scores} asked for them, and for ids} Empty if protected spans have changed the
   * text.
   */
  public List<WordScore> words() {
    return words;
  }

  /**
   * {@return for each of {@link #tokens} where it comes from; null unless {@link
   * TranslateOptions#alignment} asked for it, and for ids}
   */
  public List<TokenLink> alignment() {
    return alignment;
  }

  /**
   * {@return the best translations of the text, the best first: as many as {@link
   * TranslateOptions#nBest} asked for and the search found} With several {@link #parts}, each is
   * made of the hypotheses of the same rank, and its score is the sum of theirs.
   */
  public List<Hypothesis> hypotheses() {
    return hypotheses;
  }

  /**
   * {@return what {@link TranslateOptions#attention} asked for; otherwise null, and with several
   * {@link #parts}: for that translate what {@link StreamedText#source} has}
   */
  public Attention attention() {
    return attention;
  }

  /** {@return why it ended; of several parts, the most severe reason} */
  public StopReason stopReason() {
    return stopReason;
  }

  /** {@return how many were translated by themselves: sentences, or parts of long ones} */
  public int parts() {
    return parts;
  }

  /** {@return tokens that were generated, those of a loop that was cut included} */
  public long generatedTokens() {
    return generatedTokens;
  }

  /**
   * {@return how much of the source was translated, in chars (UTF-16 units): all of it, except
   * after {@link StopReason#BUDGET} and {@link StopReason#CANCELLED}} 0 if ids were translated.
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
