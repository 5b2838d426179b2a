package dev.latimer;

/** The attention whose weights {@link TranslateOptions#attention} keeps. */
public enum AttentionKind {
  /** A row for each target token, a column for each source token. */
  CROSS,
  /** A row and a column for each source token. */
  ENCODER,
  /** A row for each target token; a column for the decoder's start and each earlier token. */
  DECODER
}
