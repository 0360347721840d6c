/**
 * Thrown by a task when trying again cannot help: the job has failed.
 * The message is logged and kept in the database, so it names no person and holds no secret.
 */
export class PermanentError extends Error {
  override name = 'PermanentError';
}

/**
 * Thrown by a task for what is nobody's defect here, such as a server that is away: tried again, as the job says.
 * The message is logged and kept as that of PermanentError.
 */
export class TransientError extends Error {
  override name = 'TransientError';
}

/** What may be logged and kept of a failure. */
export interface FailureSummary {
  error: string;
  code?: string;
  message?: string;
  /** Where it came from, for defects. */
  at?: string[];
}

/**
 * What may be told of a failure: of our own kinds the message, of all others only their name, code and place, because
 * the messages of drivers and servers repeat what they were given, such as the address a mail server refused.
 */
export function summarizeFailure(error: unknown): FailureSummary {
  const { name, code, stack } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const note: FailureSummary = {
    error: typeof name === 'string' ? name : typeof error,
    ...(typeof code === 'string' ? { code } : {}),
  };
  if (error instanceof PermanentError || error instanceof TransientError) return { ...note, message: error.message };
  const frames = typeof stack === 'string' ? stack.split('\n').filter(line => /^ {4}at /.test(line)) : [];
  return { ...note, at: frames.slice(0, 8).map(line => line.trim()) };
}
