/** Reason of a model error. Used as a metric label, so it never contains message text. */
export type FallbackReason =
  | 'timeout'
  | 'refused'
  | 'server_error'
  | 'unreachable'
  | 'too_large'
  | 'garbage'
  /** The answer holds something that is never shown, and little else. */
  | 'unsafe'
  /** The passages do not support the answer. */
  | 'unsupported'
  /** The moderation model gave no verdict. */
  | 'not_moderated'
  /** The person has withdrawn the consent while the answer was written. */
  | 'withdrawn';

/** Reasons of answers that arrived and were refused. */
export const rejections: ReadonlySet<FallbackReason> = new Set(['unsafe', 'unsupported', 'not_moderated']);

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
