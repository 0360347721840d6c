/** Reason of a model error. Used as a metric label, so it never contains message text. */
export type FallbackReason =
  | 'timeout'
  | 'refused'
  | 'server_error'
  | 'unreachable'
  | 'too_large'
  | 'garbage'
  | 'unsafe';

/** The model detected a crisis: its answer is discarded for the fixed text. */
export class CrisisDetected extends Error {}

/** The model gave no usable answer; the companion answers from articles. */
export class ModelError extends Error {
  readonly reason: FallbackReason;

  constructor(reason: FallbackReason) {
    super(reason);
    this.reason = reason;
  }
}
