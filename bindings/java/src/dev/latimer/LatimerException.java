package dev.latimer;

/** A model file that cannot be used, or a request that a model refuses. */
public class LatimerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The codes of {@code latimer_code} in {@code latimer/latimer.h}, in the same order. */
  public enum Code {
    /** Never that of an exception. */
    OK,
    /** The request is wrong: an unknown language, options that contradict each other. */
    INVALID_ARGUMENT,
    /** The model cannot do this: it has no tokenizer, for instance. */
    FAILED_PRECONDITION,
    /** The file is no model of Latimer's. */
    NOT_A_MODEL,
    /** The end of the file is missing. */
    TRUNCATED,
    /** The file is damaged. */
    CORRUPT,
    /** The file was written for another version of Latimer. */
    UNSUPPORTED_VERSION,
    /** The model is larger than this build of the library holds. */
    EXCEEDS_PROFILE,
    /** This CPU or build has no kernels for the file's tile; the message says what to do. */
    TILE_NOT_IN_BUILD,
    /** The CPU lacks an instruction set that the library needs. */
    UNSUPPORTED_CPU,
    /** The text has too many tokens. */
    TEXT_TOO_LONG,
    /** The system refused a file, memory or a thread. */
    RESOURCE_UNAVAILABLE
  }

  /** See {@link #code()}. */
  private final Code code;

  LatimerException(Code code, String message) {
    super(message);
    this.code = code;
  }

  /** {@return what is wrong; {@link #getMessage} says it in one sentence, and what to do} */
  public Code code() {
    return code;
  }
}
