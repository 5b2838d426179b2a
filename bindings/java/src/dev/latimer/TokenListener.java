package dev.latimer;

/** Is told each token as soon as it is generated, on the thread that translates. */
public interface TokenListener {
  /**
   * Receives a token. It may not use the translator, except for {@link Translator#cancel}. An
   * exception ends the translation and comes out of the call that translates.
   *
   * @param index of the token in its sentence, from 0; a text in several parts begins again
   * @param token the id in the target vocabulary
   * @return false to end the translation, with {@link StopReason#CANCELLED}
   */
  boolean onToken(int index, int token);
}
