package dev.latimer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Settings of a translation, which replace those of the model. Each method returns this object;
 * what is not set is the model's. Names and values are those of {@code latimer_options} in {@code
 * latimer/latimer.h}. A translation copies them when it begins; what a model refuses, and what
 * contradicts itself, is then a {@link LatimerException}. A method throws IllegalArgumentException
 * for a number that none takes.
 */
public final class TranslateOptions {
  private static final int[] NONE = {};

  /** What {@code latimer_set_option} takes, by its names. */
  private final Map<String, String> named = new LinkedHashMap<>();

  private int beams;
  private long stream = 1;
  private int[] suppressed = NONE;
  private int[] targetPrefixIds = NONE;
  private int[] protectedRanges = NONE; // In chars.
  private List<byte[]> bannedWords = new ArrayList<>();
  private List<int[]> bannedIds = new ArrayList<>();
  private byte[][] terms = {};
  boolean scores;
  boolean alignment;
  AttentionKind attention; // null: none.
  int nBest;
  TokenListener listener;

  // ---- Languages and what comes before a text ----

  /**
   * The source language of a multilingual model, such as "eng_Latn".
   *
   * @param language its code
   * @return this object
   */
  public TranslateOptions sourceLanguage(String language) {
    return set("source_lang", language);
  }

  /**
   * The target language of a multilingual model, such as "deu_Latn".
   *
   * @param language its code
   * @return this object
   */
  public TranslateOptions targetLanguage(String language) {
    return set("target_lang", language);
  }

  /**
   * A code that is put before the text, such as "&gt;&gt;deu&lt;&lt;".
   *
   * @param code the code
   * @return this object
   */
  public TranslateOptions languageCode(String code) {
    return set("language_code", code);
  }

  /**
   * Whether each sentence and each line of a text is translated by itself, as by default. Otherwise
   * a text that fits the longest source is translated at once, as the original library does it.
   *
   * @param sentences whether to do so
   * @return this object
   */
  public TranslateOptions sentences(boolean sentences) {
    return set("sentences", sentences);
  }

  /**
   * Whether the lines of a text are wrapped: a line break then ends a sentence only at a blank line
   * and in a list, and becomes a space elsewhere.
   *
   * @param paragraphs whether they are
   * @return this object
   */
  public TranslateOptions paragraphs(boolean paragraphs) {
    return set("paragraphs", paragraphs);
  }

  /**
   * One of the model's tasks, such as "summarization".
   *
   * @param task its name
   * @return this object
   */
  public TranslateOptions task(String task) {
    return set("task", task);
  }

  /**
   * Put before the text, such as "summarize: ".
   *
   * @param prefix the text
   * @return this object
   */
  public TranslateOptions prefix(String prefix) {
    return set("prefix", prefix);
  }

  // ---- Limits ----

  /**
   * The most tokens of a translation, EOS included; 0: the model's limit.
   *
   * @param tokens how many
   * @return this object
   */
  public TranslateOptions maxTargetTokens(int tokens) {
    return set("max_target_tokens", notNegative("maxTargetTokens", tokens));
  }

  /**
   * The fewest tokens of a translation; 0: the model's.
   *
   * @param tokens how many
   * @return this object
   */
  public TranslateOptions minTargetTokens(int tokens) {
    return set("min_target_tokens", notNegative("minTargetTokens", tokens));
  }

  /**
   * Whether characters that the model lacks are read as what it has, such as a dash as -; true by
   * default.
   *
   * @param fold whether to fold them
   * @return this object
   */
  public TranslateOptions fold(boolean fold) {
    return set("fold", fold);
  }

  /**
   * Whether characters that the model cannot read are kept; true by default.
   *
   * @param keepUnknown whether to keep them
   * @return this object
   */
  public TranslateOptions keepUnknown(boolean keepUnknown) {
    return set("keep_unknown", keepUnknown);
  }

  /**
   * Whether loops and translations that are far too long are stopped; true by default.
   *
   * @param guards whether to stop them
   * @return this object
   */
  public TranslateOptions guards(boolean guards) {
    return set("guards", guards);
  }

  /**
   * The most tokens that a call generates for all parts of a text; 0: no limit.
   *
   * @param tokens how many
   * @return this object
   */
  public TranslateOptions budgetTokens(int tokens) {
    return set("budget_tokens", notNegative("budgetTokens", tokens));
  }

  /**
   * The most milliseconds that a call takes, exceeded by at most one step; 0: no limit.
   *
   * @param millis how many
   * @return this object
   */
  public TranslateOptions budgetMillis(int millis) {
    return set("budget_ms", notNegative("budgetMillis", millis));
  }

  // ---- The search ----

  /**
   * How many beginnings of a translation the search keeps; 1: greedy search, the fastest; 0: the
   * model's number. More than {@link LoadOptions#beams} are refused.
   *
   * @param beams how many
   * @return this object
   */
  public TranslateOptions beams(int beams) {
    this.beams = notNegative("beams", beams);
    return set("beams", beams);
  }

  /**
   * Instead of beams: so many {@link Translation#hypotheses}, which begin with the best tokens
   * after the target prefix, each completed greedily; 0: off. Needs as many {@link
   * LoadOptions#beams}.
   *
   * @param count how many
   * @return this object
   */
  public TranslateOptions alternatives(int count) {
    nBest = notNegative("alternatives", count);
    beams = count;
    return set("alternatives", count);
  }

  /**
   * Above 0 prefers long translations, below 0 short ones; of a search with beams.
   *
   * @param penalty the exponent of the length
   * @return this object
   */
  public TranslateOptions lengthPenalty(float penalty) {
    return set("length_penalty", number("lengthPenalty", penalty));
  }

  /**
   * When a search with beams ends; null: the model's rule.
   *
   * @param rule the rule
   * @return this object
   */
  public TranslateOptions earlyStopping(EarlyStopping rule) {
    return set("early_stopping", rule == null ? null : rule.value);
  }

  /**
   * How many {@link Translation#hypotheses} to keep; 0 by default. A translation throws
   * IllegalArgumentException if this is more than 1 and more than {@link #beams}.
   *
   * @param count how many
   * @return this object
   */
  public TranslateOptions nBest(int count) {
    this.nBest = notNegative("nBest", count);
    return this;
  }

  /**
   * The token that comes first.
   *
   * @param token an id in the target vocabulary
   * @return this object
   */
  public TranslateOptions forcedFirst(int token) {
    return set("forced_first_token", token);
  }

  /**
   * The length of token sequences that may not occur twice; 0: off.
   *
   * @param length in tokens
   * @return this object
   */
  public TranslateOptions noRepeatNgram(int length) {
    return set("no_repeat_ngram", notNegative("noRepeatNgram", length));
  }

  /**
   * A factor for tokens that occurred already; 1: off, 0: the model's.
   *
   * @param penalty the factor
   * @return this object
   */
  public TranslateOptions repetitionPenalty(float penalty) {
    return set("repetition_penalty", number("repetitionPenalty", penalty));
  }

  /**
   * Tokens that may not be produced.
   *
   * @param tokens ids in the target vocabulary
   * @return this object
   */
  public TranslateOptions suppressed(int... tokens) {
    this.suppressed = tokens.clone();
    return this;
  }

  // ---- Sampling: tokens are drawn by their probabilities, without beams ----

  /**
   * Whether tokens are drawn; the next three methods draw them, too.
   *
   * @param sample whether to draw
   * @return this object
   */
  public TranslateOptions sample(boolean sample) {
    return set("sample", sample);
  }

  /**
   * What logits are divided by, above 0: above 1 makes tokens more alike.
   *
   * @param temperature the divisor
   * @return this object
   */
  public TranslateOptions temperature(float temperature) {
    return set("temperature", number("temperature", temperature));
  }

  /**
   * How many of the most likely tokens may be drawn; 0: all.
   *
   * @param tokens how many
   * @return this object
   */
  public TranslateOptions topK(int tokens) {
    return set("top_k", notNegative("topK", tokens));
  }

  /**
   * Only the most likely tokens are drawn, as many as sum up to this probability, above 0.
   *
   * @param probability the sum, up to 1
   * @return this object
   */
  public TranslateOptions topP(float probability) {
    return set("top_p", number("topP", probability));
  }

  /**
   * Only tokens whose probability is at least this share of the most likely one's, from 0 (all) to
   * 1.
   *
   * @param share the share
   * @return this object
   */
  public TranslateOptions minP(float share) {
    return set("min_p", number("minP", share));
  }

  /**
   * Other tokens are drawn with another seed; 0 by default.
   *
   * @param seed any number, without a sign
   * @return this object
   */
  public TranslateOptions seed(long seed) {
    return set("seed", Long.toUnsignedString(seed));
  }

  /**
   * The number of the text, 1 by default. Each has random numbers of its own: line n of the {@code
   * latimer} program is text n. Sentences of running text and of HTML are counted by themselves.
   *
   * @param number from 1
   * @return this object
   */
  public TranslateOptions stream(long number) {
    this.stream = number;
    return this;
  }

  // ---- What the caller gives the translation ----

  /**
   * A text of the target that the translation begins with; null: none. The model must not have been
   * converted with {@code --no-target-tokenizer}.
   *
   * @param text the text
   * @return this object
   */
  public TranslateOptions targetPrefix(String text) {
    this.targetPrefixIds = NONE;
    return set("target_prefix", text);
  }

  /**
   * The tokens that the translation begins with, as of {@link Translator#tokenizeTarget}.
   *
   * @param ids in the target vocabulary
   * @return this object
   */
  public TranslateOptions targetPrefix(int... ids) {
    this.targetPrefixIds = ids.clone();
    return set("target_prefix", null);
  }

  /**
   * Words and phrases of the target that may not be produced. Needs what targetPrefix needs.
   *
   * @param words the words
   * @return this object
   */
  public TranslateOptions bannedWords(Collection<String> words) {
    List<byte[]> texts = new ArrayList<>();
    for (String word : words) texts.add(Utf8.encode(word));
    this.bannedWords = texts;
    return this;
  }

  /**
   * Sequences of tokens that may not be produced, besides the words.
   *
   * @param sequences ids in the target vocabulary
   * @return this object
   */
  public TranslateOptions bannedIds(Collection<int[]> sequences) {
    List<int[]> copies = new ArrayList<>();
    for (int[] ids : sequences) copies.add(ids.clone());
    this.bannedIds = copies;
    return this;
  }

  /**
   * Words and phrases of the source, and what stands for each in the translation. Needs what
   * targetPrefix needs. Not for HTML and ids.
   *
   * @param terms targets by their sources
   * @return this object
   */
  public TranslateOptions terms(Map<String, String> terms) {
    List<byte[]> texts = new ArrayList<>();
    for (Map.Entry<String, String> term : terms.entrySet()) {
      texts.add(Utf8.encode(term.getKey()));
      texts.add(Utf8.encode(term.getValue()));
    }
    this.terms = texts.toArray(new byte[0][]);
    return this;
  }

  /**
   * Whether placeholders, URLs, e-mail addresses, numbers with units and the like come out as they are, once
   * each; false by default. Not for HTML and ids.
   *
   * @param protect whether to protect them
   * @return this object
   */
  public TranslateOptions protect(boolean protect) {
    return set("protect", protect);
  }

  /**
   * Chars of the text that come out as they are: pairs of the first one and the end of the last
   * one, in ascending order. For a text only; a translation throws IllegalArgumentException if one
   * is not in it.
   *
   * @param ends the pairs, one after another
   * @return this object
   */
  public TranslateOptions protectedRanges(int... ends) {
    if (ends.length % 2 != 0) {
      throw new IllegalArgumentException("protectedRanges: the last range has no end.");
    }
    this.protectedRanges = ends.clone();
    return this;
  }

  // ---- What a translation tells ----

  /**
   * Whether to keep a score for each token and word, which takes more time.
   *
   * @param scores whether to keep them
   * @return this object
   */
  public TranslateOptions scores(boolean scores) {
    this.scores = scores;
    return set("scores", scores);
  }

  /**
   * Whether to keep where each token comes from.
   *
   * @param alignment whether to keep it
   * @return this object
   */
  public TranslateOptions alignment(boolean alignment) {
    this.alignment = alignment;
    return set("alignment", alignment);
  }

  /**
   * The attention whose weights to keep; null, the default: none.
   *
   * @param kind the attention
   * @return this object
   */
  public TranslateOptions attention(AttentionKind kind) {
    this.attention = kind;
    return set("attention", kind == null ? null : kind.name().toLowerCase(Locale.ROOT));
  }

  /**
   * Is told each token as it is generated, with beams at the end; null: nobody.
   *
   * @param listener who is told
   * @return this object
   */
  public TranslateOptions listener(TokenListener listener) {
    this.listener = listener;
    return this;
  }

  // ---- For Translator ----

  /** Throws if there are more hypotheses than beams. */
  void checkHypotheses() {
    if (nBest <= Math.max(1, beams)) return;
    throw new IllegalArgumentException(
        "nBest: " + nBest + " needs as many beams; set beams, too.");
  }

  /** Throws for what is of one text. */
  void checkForMany() {
    if (listener != null || protectedRanges.length > 0) {
      throw new IllegalArgumentException(
          (listener != null ? "listener" : "protectedRanges") + ": give it with one text.");
    }
  }

  /**
   * Gives the options to a model for the calls that follow, with arrays in the order of {@code
   * latimer_jni_options.cc}.
   *
   * @param text what protected ranges are of; null: a stream or ids
   */
  void set(long model, String text) {
    List<byte[]> names = new ArrayList<>();
    for (Map.Entry<String, String> option : named.entrySet()) {
      names.add(Utf8.encode(option.getKey()));
      names.add(Utf8.encodeForC(option.getKey(), option.getValue()));
    }
    List<int[]> banned = new ArrayList<>(bannedIds);
    for (byte[] word : bannedWords) banned.add(Native.tokenizeTarget(model, word));
    int[] tokens = NONE;
    int[] ends = NONE;
    for (int[] ids : banned) {
      if (ids.length == 0) continue;
      tokens = Parts.join(tokens, ids);
      ends = Parts.join(ends, new int[] {tokens.length});
    }
    int[] ranges = text == null ? protectedRanges : Utf8.byteOffsets(text, protectedRanges);
    int[][] ids = {suppressed, targetPrefixIds, tokens, ends, ranges};
    Native.setOptions(model, names.toArray(new byte[0][]), ids, terms, stream);
  }

  /** Sets an option by its name in C; null: it is the model's again. */
  private TranslateOptions set(String name, Object value) {
    if (value == null) {
      named.remove(name);
    } else {
      named.put(name, value.toString());
    }
    return this;
  }

  private static int notNegative(String name, int value) {
    if (value < 0) throw new IllegalArgumentException(name + ": " + value + " is negative.");
    return value;
  }

  private static float number(String name, float value) {
    if (!Float.isNaN(value)) return value;
    throw new IllegalArgumentException(name + ": NaN is no number.");
  }
}
