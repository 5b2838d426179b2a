package dev.latimer;

/** Receives the translation of running text, on the thread that translates. */
public interface TextReceiver {
  /**
   * Receives the next portion. All {@link StreamedText#text}s, one after another, are the
   * translation. It may not use the translator, except for {@link Translator#cancel}. An exception
   * ends the translation and comes out of {@link Translator#translate(java.io.Reader,
   * TranslateOptions, TextReceiver)}.
   *
   * @param portion the portion
   */
  void onText(StreamedText portion);
}
