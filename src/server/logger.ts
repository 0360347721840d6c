import pino, { type DestinationStream } from 'pino';

export type Logger = pino.Logger;

/**
 * Structured lines on standard output, or to `destination`. Nothing of a request but its method, its path without the
 * query, its id and what became of it is ever handed to the logger: queries hold search terms and tokens, bodies health data.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: serializeError } };
  return destination === undefined ? pino(options) : pino(options, destination);
}

interface SerializedError {
  type: string;
  message: string;
  code?: string;
  stack: string[];
  cause?: unknown;
}

/**
 * What a log line tells of an error. Pino's own way copies every property, and those of a database error hold values:
 * `detail` is «Key (email)=(…) already exists». The stack is kept without its first lines, which repeat the message.
 */
function serializeError(error: unknown, depth = 0): SerializedError | { type: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = (error as { code?: unknown }).code;
  const frames = (error.stack ?? '').split('\n').filter(line => /^\s+at /.test(line));
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    stack: frames.map(line => line.trim()),
    ...(error.cause !== undefined && depth < 3 ? { cause: serializeError(error.cause, depth + 1) } : {}),
  };
}
