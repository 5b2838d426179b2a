package dev.latimer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What Native gives of a translation, part by part. */
final class Parts {
  final byte[] source; // UTF-8; null: ids.
  final StringBuilder text = new StringBuilder();
  int[] tokens = {};
  int[] sourceTokens = {};
  float[] scores; // Two for each token; null: not asked for.
  List<WordScore> words = new ArrayList<>();
  final List<TokenLink> links; // null: not asked for.
  private final AttentionKind attentionKind;
  Attention attention; // null if there are several parts.
  List<Hypothesis> hypotheses = new ArrayList<>(); // Of the parts before the last one, or of all.
  StopReason stopReason = StopReason.EOS;
  long generatedTokens;
  int count;
  int sourceLength; // In chars.
  private int sourceBytes;
  private String spaceAfter = ""; // The last part.
  private boolean lacksWords; // Those of a part are not known.
  // The last part.
  private final List<Hypothesis> ofPart = new ArrayList<>();
  private Hypothesis itself;
  private String spaceBefore = "";

  Parts(byte[] source, TranslateOptions options) {
    this.source = source;
    this.scores = options.scores ? new float[0] : null;
    this.attentionKind = options.attention;
    this.links = options.alignment && source != null ? new ArrayList<>() : null;
  }

  /** Arguments as of {@link Native#onPart}. */
  void add(
      byte[] bytes,
      byte[] space,
      int[] target,
      int[] read,
      float[] tokenScores,
      int[] wordEnds,
      float[] wordScores,
      int[] ends,
      float[] weights,
      long[] numbers) {
    joinHypotheses();
    spaceBefore = spaceAfter;
    text.append(spaceBefore);
    if (links != null && ends != null) addLinks(bytes, ends, (int) numbers[0]);
    itself = new Hypothesis(Utf8.decode(bytes), target, 0);
    text.append(itself.text());
    tokens = join(tokens, target);
    sourceTokens = join(sourceTokens, read);
    if (scores != null && tokenScores != null) {
      int before = scores.length;
      scores = Arrays.copyOf(scores, before + tokenScores.length);
      System.arraycopy(tokenScores, 0, scores, before, tokenScores.length);
    }
    for (int i = 0; wordScores != null && i < wordScores.length; ++i) {
      byte[] word = Arrays.copyOfRange(bytes, wordEnds[2 * i], wordEnds[2 * i + 1]);
      words.add(new WordScore(Utf8.decode(word), wordScores[i]));
    }
    lacksWords |= wordScores == null && bytes.length > 0;
    int from = sourceBytes;
    sourceBytes += (int) numbers[0];
    if (source != null) sourceLength += Utf8.length(source, from, sourceBytes);
    spaceAfter = Utf8.decode(space);
    StopReason reason = Native.stopReason(numbers[1]);
    if (reason.compareTo(stopReason) > 0) stopReason = reason;
    generatedTokens += numbers[2];
    attention =
        weights == null || count > 0
            ? null
            : new Attention(
                attentionKind, (int) numbers[3], (int) numbers[4], (int) numbers[5], weights);
    ++count;
  }

  /** Of the part that came last, the best one first. */
  void addHypothesis(Hypothesis hypothesis) {
    ofPart.add(hypothesis);
  }

  /** Keeps the n best hypotheses, and words if those of all parts are known. */
  void finish(int most) {
    joinHypotheses();
    if (hypotheses.isEmpty()) hypotheses.add(new Hypothesis("", new int[0], 0)); // Not begun.
    hypotheses = hypotheses.subList(0, Math.min(most, hypotheses.size()));
    if (lacksWords) words = new ArrayList<>();
  }

  /**
   * Appends the hypotheses of the last part to those of the same rank; what has fewer repeats its
   * last one. Without a search with beams, a part has one: the translation itself.
   */
  private void joinHypotheses() {
    if (count == 0) return;
    if (ofPart.isEmpty()) ofPart.add(itself);
    if (hypotheses.isEmpty()) hypotheses.add(new Hypothesis("", new int[0], 0));
    List<Hypothesis> joined = new ArrayList<>();
    for (int i = 0; i < Math.max(hypotheses.size(), ofPart.size()); ++i) {
      Hypothesis before = hypotheses.get(Math.min(i, hypotheses.size() - 1));
      Hypothesis next = ofPart.get(Math.min(i, ofPart.size() - 1));
      joined.add(
          new Hypothesis(
              before.text() + spaceBefore + next.text(),
              join(before.tokens(), next.tokens()),
              before.score() + next.score()));
    }
    hypotheses = joined;
    ofPart.clear();
  }

  /** Four positions for each link, as in {@code latimer_token_link}, of the next part. */
  private void addLinks(byte[] target, int[] ends, int read) {
    int[] to = Utf8.charOffsets(target, 0, target.length);
    int[] from = Utf8.charOffsets(source, sourceBytes, sourceBytes + read);
    int at = text.length();
    for (int i = 0; i < ends.length; i += 4) {
      links.add(
          new TokenLink(
              at + to[ends[i]],
              at + to[ends[i + 1]],
              sourceLength + from[ends[i + 2]],
              sourceLength + from[ends[i + 3]]));
    }
  }

  static int[] join(int[] a, int[] b) {
    int[] all = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, all, a.length, b.length);
    return all;
  }
}
