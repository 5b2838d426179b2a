package dev.latimer;

/**
 * Two models, the second of which translates what the first one gives, for a pair of languages that
 * no model has.
 *
 * <pre>{@code
 * Translation french = new Pivot(germanToEnglish, englishToFrench).translate("Wie geht es dir?");
 * }</pre>
 *
 * <p>HTML needs no Pivot: give the second translator the HTML that the first one wrote.
 */
public final class Pivot {
  private final Translator first;
  private final Translator second;

  /**
   * The translators remain the caller's, who closes them.
   *
   * @param first from the source to the language between
   * @param second from there to the target
   */
  public Pivot(Translator first, Translator second) {
    if (first == null || second == null) throw new NullPointerException();
    this.first = first;
    this.second = second;
  }

  /**
   * Translates a text with the models' own settings.
   *
   * @param text the text
   * @return the translation
   */
  public Translation translate(String text) {
    return translate(text, new TranslateOptions(), new TranslateOptions());
  }

  /**
   * Translates a text. Each model has options of its own, and a budget with them.
   *
   * <p>The translation is that of the second model, and so are its tokens, scores and alignment,
   * whose source is the text between. It has the more severe reason of both ends, the tokens that
   * both generated, and the length of {@code text} that was translated. After {@link
   * Translator#cancel} of the first model it is empty.
   *
   * @param text the text
   * @param firstOptions for the first model
   * @param secondOptions for the second model
   * @return the translation
   * @throws LatimerException whose message begins with "First model: " or "Second model: "
   */
  public Translation translate(
      String text, TranslateOptions firstOptions, TranslateOptions secondOptions) {
    Parts begun = part("First", first, text, firstOptions);
    boolean cancelled = begun.stopReason == StopReason.CANCELLED;
    String between = cancelled ? "" : begun.text.toString();
    Parts parts = part("Second", second, between, secondOptions);
    if (begun.stopReason.compareTo(parts.stopReason) > 0) parts.stopReason = begun.stopReason;
    parts.generatedTokens += begun.generatedTokens;
    parts.sourceLength = begun.sourceLength;
    return new Translation(parts);
  }

  private static Parts part(
      String name, Translator translator, String text, TranslateOptions options) {
    try {
      return translator.translateParts(text, options);
    } catch (LatimerException e) {
      throw new LatimerException(e.code(), name + " model: " + e.getMessage());
    }
  }
}
