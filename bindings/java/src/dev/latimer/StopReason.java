package dev.latimer;

/**
 * Why a translation ended: {@code latimer_stop_reason} in {@code latimer/latimer.h}, in the same
 * order. A text in several parts has the reason that comes last here.
 */
public enum StopReason {
  /** The model ended it. */
  EOS,
  /** The limit of the caller, the model or a guard was reached. */
  LENGTH_LIMIT,
  /** A guard found a loop; the translation ends with its first copy. */
  LOOP,
  /** The tokens or milliseconds of the budget were used up. */
  BUDGET,
  /** {@link Translator#cancel}, {@link Translator#close} or a callback ended it. */
  CANCELLED
}
