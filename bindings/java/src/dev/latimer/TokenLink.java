package dev.latimer;

/** Where a target token comes from. Positions are in chars (UTF-16 units). */
public final class TokenLink {
  private final int targetBegin;
  private final int targetEnd;
  private final int sourceBegin;
  private final int sourceEnd;

  TokenLink(int targetBegin, int targetEnd, int sourceBegin, int sourceEnd) {
    this.targetBegin = targetBegin;
    this.targetEnd = targetEnd;
    this.sourceBegin = sourceBegin;
    this.sourceEnd = sourceEnd;
  }

  /** {@return the token's first char in {@link Translation#text}} */
  public int targetBegin() {
    return targetBegin;
  }

  /**
   * {@return the end of its last char; its begin if it has no text, like the end of a sentence}
   */
  public int targetEnd() {
    return targetEnd;
  }

  /**
   * {@return the first char, in the text that was translated, of the source token that the decoder
   * attended to most}
   */
  public int sourceBegin() {
    return sourceBegin;
  }

  /** {@return the end of its last char; its begin if there is no such token} */
  public int sourceEnd() {
    return sourceEnd;
  }
}
