/** Why a model's answer is of no use; a label of the metrics, so never anything that was sent or came back. */
export type FallbackReason =
  | 'timeout'
  | 'refused'
  | 'server_error'
  | 'unreachable'
  | 'too_large'
  | 'garbage'
  | 'unsafe';

/** The model noticed that somebody is in danger: its answer is not told, and the fixed text is given. */
export class CrisisDetected extends Error {}

/** The model has no answer that could be given. The companion answers from the articles instead. */
export class ModelError extends Error {
  readonly reason: FallbackReason;

  constructor(reason: FallbackReason) {
    super(reason);
    this.reason = reason;
  }
}
