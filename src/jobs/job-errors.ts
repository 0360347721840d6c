/**
 * Thrown by a task when a retry cannot succeed: the job has failed.
 * The message is logged and stored, so it contains no personal data and no secret.
 */
export class PermanentError extends Error {
  override name = 'PermanentError';
}

/**
 * Thrown by a task for an error that is no defect of this program, such as an unreachable server. The job is retried as its type
 * says. The message is logged and stored, as that of PermanentError.
 */
export class TransientError extends Error {
  override name = 'TransientError';
}

/**
 * Thrown by a task when its work may have been done all the same: a server has received all of it and not answered. The job is retried,
 * and the next attempts know it.
 */
export class UnconfirmedError extends TransientError {
  override name = 'UnconfirmedError';
}

/** What is logged and stored of a failure. */
export interface FailureSummary {
  error: string;
  /** Present when this attempt, or an earlier one, may have done the work. */
  unconfirmed?: true;
  code?: string;
  message?: string;
  /** Stack frames, for defects. */
  at?: string[];
}

/**
 * Summarizes a failure for log and database: the message only of PermanentError and TransientError. Of other errors name, code and
 * stack frames, because messages of drivers and servers repeat their input, such as the address that a mail server refused.
 */
export function summarizeFailure(error: unknown): FailureSummary {
  const { name, code, stack } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const note: FailureSummary = {
    error: typeof name === 'string' ? name : typeof error,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error instanceof UnconfirmedError ? { unconfirmed: true } : {}),
  };
  if (error instanceof PermanentError || error instanceof TransientError) return { ...note, message: error.message };
  const frames = typeof stack === 'string' ? stack.split('\n').filter(line => /^ {4}at /.test(line)) : [];
  return { ...note, at: frames.slice(0, 8).map(line => line.trim()) };
}
