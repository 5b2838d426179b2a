package dev.latimer;

import java.nio.ByteBuffer;

/**
 * The functions of {@code latimer_jni.cc}, and what that calls. A handle is a model that was
 * loaded; {@link Translator} sees to it that it is one, and that one thread uses it at a time. Text
 * is UTF-8.
 */
final class Native {
  private static final LatimerException.Code[] CODES = LatimerException.Code.values();
  private static final StopReason[] STOP_REASONS = StopReason.values();

  static {
    System.loadLibrary("latimer_jni");
  }

  private Native() {}

  // ---- Loading: a handle, or a LatimerException ----

  static native long loadFile(byte[] path, int threads, boolean skipChecksum);

  static native long loadDescriptor(
      int fd, long offset, long length, int threads, boolean skipChecksum);

  /** All of a direct buffer. */
  static native long loadBuffer(ByteBuffer buffer, int threads, boolean skipChecksum);

  static native void unload(long handle);

  static native boolean isCopied(long handle);

  // ---- Translating ----

  static native void setCancelled(long handle, boolean cancelled);

  static native void setOptions(
      long handle,
      byte[][] strings,
      int[] numbers,
      float repetitionPenalty,
      int[] suppressed);

  static native void translate(long handle, byte[] text, TokenListener listener);

  static native void translateIds(long handle, int[] ids, TokenListener listener);

  // Of the last translation.
  static native byte[] text(long handle);

  static native int[] tokens(long handle);

  /** Two numbers for each token, or null. */
  static native float[] scores(long handle);

  /** Stop reason, generated tokens and bytes of the source. */
  static native long[] numbers(long handle);

  // A text in portions. bytes == null is its end; endStream() must follow in any case.
  static native void beginStream(long handle);

  /** Returns false if the translation was cancelled: push no more. */
  static native boolean push(
      long handle, byte[] bytes, int count, TokenListener listener, TextReceiver receiver);

  static native void endStream(long handle);

  // ---- Text and tokens, the model ----

  static native int[] tokenize(long handle, byte[] text);

  static native byte[] detokenize(long handle, int[] ids);

  static native byte[] language(long handle, int index);

  static native byte[] license(long handle);

  static StopReason stopReason(long reason) {
    return STOP_REASONS[(int) reason];
  }

  // ---- Called by latimer_jni.cc ----

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
}
