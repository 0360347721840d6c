import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestUsage } from '../limits/request-usage.ts';

/** Longest interval between two looks, in milliseconds: as often as the CPU time of git is measured. */
const maxLookMs = 1_000;

/**
 * Gives a request of git as much time as it makes progress: CPU time of git, database time, or bytes from and to its client. Without
 * progress for `maxIdleMs` its socket times out. Until the response closes; then the timeout of the socket is what it was.
 */
export function awaitProgress(
  { socket }: IncomingMessage,
  response: ServerResponse,
  usage: RequestUsage,
  maxIdleMs: number,
): void {
  const progress = (): number =>
    usage.childCpuMicroseconds + usage.databaseMicroseconds + socket.bytesRead + socket.bytesWritten;
  const before = socket.timeout ?? 0;
  let last = progress();
  socket.setTimeout(maxIdleMs);
  const timer = setInterval(
    () => {
      const now = progress();
      if (now === last) return;
      last = now;
      socket.setTimeout(maxIdleMs);
    },
    Math.min(maxLookMs, maxIdleMs / 4),
  ).unref();
  response.once('close', () => {
    clearInterval(timer);
    socket.setTimeout(before);
  });
}
