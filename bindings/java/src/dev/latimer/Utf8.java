package dev.latimer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Text of Java as UTF-8 and back. JNI's own functions use another encoding. */
final class Utf8 {
  private Utf8() {}

  /** An encoder that writes U+FFFD for a surrogate without its other half. */
  static CharsetEncoder encoder() {
    return StandardCharsets.UTF_8
        .newEncoder()
        .onMalformedInput(CodingErrorAction.REPLACE)
        .replaceWith(new byte[] {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD});
  }

  static byte[] encode(String text) {
    try {
      ByteBuffer bytes = encoder().encode(CharBuffer.wrap(text));
      return Arrays.copyOfRange(
          bytes.array(), bytes.arrayOffset(), bytes.arrayOffset() + bytes.limit());
    } catch (CharacterCodingException impossible) {
      throw new AssertionError(impossible); // It replaces.
    }
  }

  /** The bytes of a string that ends with a zero in C; null for null. */
  static byte[] encodeForC(String name, String text) {
    if (text == null) return null;
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(name + " contains the character U+0000.");
    }
    return encode(text);
  }

  static String decode(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
