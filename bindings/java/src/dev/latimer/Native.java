package dev.latimer;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/**
 * The functions of {@code latimer_jni*.cc}, and what that calls. A handle is a model that was
 * loaded; {@link Translator} sees to it that it is one, and that one thread uses it at a time. Text
 * is UTF-8.
 */
final class Native {
  private static final LatimerException.Code[] CODES = LatimerException.Code.values();
  private static final StopReason[] STOP_REASONS = StopReason.values();

  static {
    NativeLibrary.load();
  }

  private Native() {}

  // ---- Loading: a handle, or a LatimerException ----

  static native long loadFile(byte[] path, int[] options);

  static native long loadDescriptor(int fd, long offset, long length, int[] options);

  /** All of a direct buffer. */
  static native long loadBuffer(ByteBuffer buffer, int[] options);

  static native void unload(long handle);

  static native boolean isCopied(long handle);

  // ---- Translating ----

  static native void setCancelled(long handle, boolean cancelled);

  /** See {@link TranslateOptions#set}. */
  static native void setOptions(
      long handle, byte[][] named, int[][] ids, byte[][] terms, long stream);

  static native void translate(long handle, byte[] text, TokenListener listener, Parts parts);

  /** Listeners are not called. Texts that {@link #setCancelled} has kept from it have no parts. */
  static native void translateAll(long handle, byte[][] texts, Parts[] parts);

  static native void translateIds(long handle, int[] ids, TokenListener listener, Parts parts);

  // A text or HTML in portions. bytes == null is its end; endStream() must follow in any case.
  static native void beginStream(long handle, boolean isHtml);

  /**
   * Returns false if the translation was cancelled: push no more. The receiver is a TextReceiver,
   * or a ByteArrayOutputStream for HTML.
   */
  static native boolean push(
      long handle, byte[] bytes, int count, TokenListener listener, Object receiver);

  static native void endStream(long handle);

  // ---- Text and tokens, the model ----

  static native int[] tokenize(long handle, byte[] text);

  static native int[] tokenizeTarget(long handle, byte[] text);

  static native byte[] detokenize(long handle, int[] ids);

  static native byte[] piece(long handle, int token, boolean ofTarget);

  static native byte[] language(long handle, int index);

  static native byte[] license(long handle);

  /** How many numbers the translation lacks; then begin and end of each, in bytes; then surplus. */
  static native int[] checkNumbers(byte[] source, byte[] translation);

  static StopReason stopReason(long reason) {
    return STOP_REASONS[(int) reason];
  }

  // ---- Called by latimer_jni_translate.cc ----

  private static void fail(int code, byte[] message) {
    throw new LatimerException(CODES[code], Utf8.decode(message));
  }

  private static boolean onToken(TokenListener listener, int index, int token) {
    return listener.onToken(index, token);
  }

  private static void onText(
      TextReceiver receiver, byte[] text, byte[] source, long line, boolean cut, int stopReason) {
    receiver.onText(
        new StreamedText(
            Utf8.decode(text), Utf8.decode(source), line, cut, stopReason(stopReason)));
  }

  private static void onHtml(ByteArrayOutputStream out, byte[] html) {
    out.write(html, 0, html.length);
  }

  /**
   * A part of a translation.
   *
   * @param text UTF-8; empty for ids
   * @param space between the part and the next
   * @param scores two numbers for each token, or null
   * @param words two positions in the text for each of wordScores; null: not asked for, or not known
   * @param links four positions for each token, the last two in this part of the source, or null
   * @param weights of attention, or null
   * @param numbers bytes of the source, stop reason, generated tokens, and of the weights: layers,
   *     heads, rows
   */
  private static void onPart(
      Parts parts,
      byte[] text,
      byte[] space,
      int[] tokens,
      int[] source,
      float[] scores,
      int[] words,
      float[] wordScores,
      int[] links,
      float[] weights,
      long[] numbers) {
    parts.add(text, space, tokens, source, scores, words, wordScores, links, weights, numbers);
  }

  /** Of the part that came last, the best one first. */
  private static void onHypothesis(Parts parts, byte[] text, int[] tokens, float score) {
    parts.addHypothesis(new Hypothesis(Utf8.decode(text), tokens, score));
  }
}
