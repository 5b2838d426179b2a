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

  /** The token's first char in {@link Translation#text}. */
  public int targetBegin() {
    return targetBegin;
  }

  /** The end of its last char; its begin if it has no text, like the end of a sentence. */
  public int targetEnd() {
    return targetEnd;
  }

  /**
   * The first char, in the text that was translated, of the source token that the decoder attended
   * to most.
   */
  public int sourceBegin() {
    return sourceBegin;
  }

  /** The end of its last char; its begin if there is no such token. */
  public int sourceEnd() {
    return sourceEnd;
  }
}
