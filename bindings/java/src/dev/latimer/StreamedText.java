package dev.latimer;

/** A portion of the translation of running text: a sentence, or white space. */
public final class StreamedText {
  private final String text;
  private final String source;
  private final long line;
  private final boolean cut;
  private final StopReason stopReason;

  StreamedText(String text, String source, long line, boolean cut, StopReason stopReason) {
    this.text = text;
    this.source = source;
    this.line = line;
    this.cut = cut;
    this.stopReason = stopReason;
  }

  /** {@return the translation} */
  public String text() {
    return text;
  }

  /** {@return what it translates; empty for the white space between sentences} */
  public String source() {
    return source;
  }

  /** {@return the line of the source that the sentence begins on, from 1} */
  public long line() {
    return line;
  }

  /**
   * {@return whether the sentence goes on after this portion, because it exceeds the longest
   * source}
   */
  public boolean isCut() {
    return cut;
  }

  /** {@return why the translation of this sentence ended} */
  public StopReason stopReason() {
    return stopReason;
  }
}
