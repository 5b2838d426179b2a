package dev.latimer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Numbers that a text has and its translation lacks, or the other way round. */
public final class NumberCheck {
  private final List<String> missing;
  private final List<String> surplus;

  private NumberCheck(List<String> missing, List<String> surplus) {
    this.missing = Collections.unmodifiableList(missing);
    this.surplus = Collections.unmodifiableList(surplus);
  }

  /**
   * {@return what the numbers of a text and of its translation differ in} Whatever translated it.
   * 1,234.5 is 1.234,5, 8 p.m. is 20:00, and a number up to 12 may be a word.
   *
   * @param source the text
   * @param translation its translation
   */
  public static NumberCheck of(String source, String translation) {
    byte[] from = Utf8.encode("source", source);
    byte[] to = Utf8.encode("translation", translation);
    int[] found = Native.checkNumbers(from, to);
    List<String> missing = new ArrayList<>();
    List<String> surplus = new ArrayList<>();
    for (int i = 1; i < found.length; i += 2) {
      boolean lacks = i < 1 + 2 * found[0];
      byte[] number = Arrays.copyOfRange(lacks ? from : to, found[i], found[i + 1]);
      (lacks ? missing : surplus).add(Utf8.decode(number));
    }
    return new NumberCheck(missing, surplus);
  }

  /** {@return the numbers that the translation lacks, as the text writes them} */
  public List<String> missing() {
    return missing;
  }

  /** {@return the numbers that the text lacks, as the translation writes them} */
  public List<String> surplus() {
    return surplus;
  }
}
