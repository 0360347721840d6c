import pino, { type DestinationStream } from 'pino';

const flushAfterMs = 100;

export type Logger = pino.Logger;

/**
 * JSON lines on standard output, or to `destination`. Of a request only the method, the path without the query, the id and the
 * outcome are logged: queries contain search terms and tokens, bodies health data.
 *
 * Lines on standard output are written 16 KB or 100 ms at a time, and at the exit of the process: one system call per line was a tenth
 * of the CPU time of a list. A process that is killed loses those of its last 100 ms.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: serializeError } };
  return pino(options, destination ?? standardOutput());
}

/** Pino's own `periodicFlush` writes zero bytes ten times a second while nothing is logged, each on a thread of libuv. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ sync: false, minLength: 16_000 });
  let isScheduled = false;
  const flush = (): void => {
    isScheduled = false;
    output.flush();
  };
  return {
    write(line) {
      output.write(line);
      if (isScheduled) return;
      isScheduled = true;
      setTimeout(flush, flushAfterMs).unref();
    },
  };
}

interface SerializedError {
  type: string;
  message: string;
  code?: string;
  stack: string[];
  cause?: unknown;
}

/**
 * Serializes an error for the log. Pino's serializer copies every property, and those of a database error contain values:
 * `detail` is «Key (email)=(…) already exists». The stack omits its first lines, which repeat the message.
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
