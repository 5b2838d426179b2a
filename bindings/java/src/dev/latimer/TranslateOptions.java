package dev.latimer;

/**
 * Settings of a translation, which replace those of the model. Each method returns this object;
 * what is not set is the model's. Names and values are those of {@code latimer_options} in {@code
 * latimer/latimer.h}. A translation copies them when it begins.
 */
public final class TranslateOptions {
  String sourceLanguage;
  String targetLanguage;
  String languageCode;
  String task;
  String prefix;
  int maxTargetTokens;
  int minTargetTokens;
  Integer forcedFirst;
  Integer noRepeatNgram;
  float repetitionPenalty;
  int[] suppressed = {};
  boolean guards = true;
  int budgetTokens;
  int budgetMillis;
  boolean scores;
  TokenListener listener;

  /** The source language of a multilingual model, such as "eng_Latn". */
  public TranslateOptions sourceLanguage(String language) {
    this.sourceLanguage = language;
    return this;
  }

  /** The target language of a multilingual model, such as "deu_Latn". */
  public TranslateOptions targetLanguage(String language) {
    this.targetLanguage = language;
    return this;
  }

  /** A code that is put before the text, such as "&gt;&gt;deu&lt;&lt;". */
  public TranslateOptions languageCode(String code) {
    this.languageCode = code;
    return this;
  }

  /** One of the model's tasks, such as "summarization". */
  public TranslateOptions task(String task) {
    this.task = task;
    return this;
  }

  /** Put before the text, such as "summarize: ". */
  public TranslateOptions prefix(String prefix) {
    this.prefix = prefix;
    return this;
  }

  /** The most tokens of a translation, EOS included; 0: the model's limit. */
  public TranslateOptions maxTargetTokens(int tokens) {
    this.maxTargetTokens = notNegative("maxTargetTokens", tokens);
    return this;
  }

  /** The fewest tokens of a translation; 0: the model's. */
  public TranslateOptions minTargetTokens(int tokens) {
    this.minTargetTokens = notNegative("minTargetTokens", tokens);
    return this;
  }

  /** The token that comes first. */
  public TranslateOptions forcedFirst(int token) {
    this.forcedFirst = token;
    return this;
  }

  /** The length of token sequences that may not occur twice; 0: off. */
  public TranslateOptions noRepeatNgram(int length) {
    this.noRepeatNgram = notNegative("noRepeatNgram", length);
    return this;
  }

  /** A factor for tokens that occurred already; 1: off, 0: the model's. */
  public TranslateOptions repetitionPenalty(float penalty) {
    this.repetitionPenalty = penalty;
    return this;
  }

  /** Tokens that may not be produced. */
  public TranslateOptions suppressed(int... tokens) {
    this.suppressed = tokens.clone();
    return this;
  }

  /** Whether loops and translations that are far too long are stopped; true by default. */
  public TranslateOptions guards(boolean guards) {
    this.guards = guards;
    return this;
  }

  /** The most tokens that a call generates for all parts of a text; 0: no limit. */
  public TranslateOptions budgetTokens(int tokens) {
    this.budgetTokens = notNegative("budgetTokens", tokens);
    return this;
  }

  /** The most milliseconds that a call takes, exceeded by at most one step; 0: no limit. */
  public TranslateOptions budgetMillis(int millis) {
    this.budgetMillis = notNegative("budgetMillis", millis);
    return this;
  }

  /** Whether to keep a score for each token, which takes more time. */
  public TranslateOptions scores(boolean scores) {
    this.scores = scores;
    return this;
  }

  /** Is told each token as it is generated; null: nobody. */
  public TranslateOptions listener(TokenListener listener) {
    this.listener = listener;
    return this;
  }

  private static int notNegative(String name, int value) {
    if (value < 0) throw new IllegalArgumentException(name + ": " + value + " is negative.");
    return value;
  }
}
