package dev.latimer;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
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

  /** The bytes of an argument, whose name is what an exception says is null. */
  static byte[] encode(String name, String text) {
    if (text == null) throw new NullPointerException(name + " is null");
    return encode(text);
  }

  /** The bytes of a string that ends with a zero in C; null for null. */
  static byte[] encodeForC(String name, String text) {
    if (text == null) return null;
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(name + " contains the character U+0000.");
    }
    return encode(text);
  }

  /** For each position in {@code bytes} from {@code begin} to {@code end}, the chars before it. */
  static int[] charOffsets(byte[] bytes, int begin, int end) {
    int[] offsets = new int[end - begin + 1];
    for (int i = begin; i < end; ++i) {
      int units = (bytes[i] & 0xC0) == 0x80 ? 0 : (bytes[i] & 0xF8) == 0xF0 ? 2 : 1;
      offsets[i - begin + 1] = offsets[i - begin] + units;
    }
    return offsets;
  }

  /** The chars of a part of {@code bytes}. */
  static int length(byte[] bytes, int begin, int end) {
    return charOffsets(bytes, begin, end)[end - begin];
  }

  /** The positions in UTF-8 of positions in {@code text}, which must be between characters. */
  static int[] byteOffsets(String text, int[] positions) {
    int[] offsets = new int[positions.length];
    for (int i = 0; i < positions.length; ++i) {
      int at = positions[i];
      boolean inside = at > 0 && at < text.length();
      if (at < 0
          || at > text.length()
          || (inside && Character.isSurrogatePair(text.charAt(at - 1), text.charAt(at)))) {
        throw new IllegalArgumentException(
            at + " is not between characters of the text, which has " + text.length() + " chars.");
      }
      offsets[i] = encode(text.substring(0, at)).length;
    }
    return offsets;
  }

  static String decode(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Decodes text that comes in pieces, which may be cut anywhere. */
  static final class Decoder {
    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private byte[] left = {}; // Of a character.

    CharSequence decode(byte[] piece) {
      ByteBuffer in = ByteBuffer.allocate(left.length + piece.length);
      in.put(left).put(piece).flip();
      CharBuffer out = CharBuffer.allocate(in.remaining());
      decoder.decode(in, out, false);
      left = new byte[in.remaining()];
      in.get(left);
      out.flip();
      return out;
    }
  }
}
