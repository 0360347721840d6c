import { constants } from 'node:os';
import { hasProcStatusBit } from './embedded-pid.ts';

const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).filter(signal => !isIgnored(signal));
const handlers = new Set<() => void>();

/**
 * Calls `stopNow`, which must be synchronous, when this process ends before the returned function was called; a server in its
 * own session would outlive the process otherwise. A process without a handler for SIGINT, SIGTERM or SIGHUP dies without an
 * `exit` event, so these signals are handled too, and raised again when no other listener exists.
 */
export function onProcessEnd(stopNow: () => void): () => void {
  if (handlers.size === 0) {
    process.on('exit', runHandlers);
    // Prepended, because a `once` listener that ran before would already be removed, and the signal would look unhandled.
    for (const signal of signals) process.prependListener(signal, exitIfUnhandled);
  }
  handlers.add(stopNow);
  return () => {
    if (handlers.delete(stopNow) && handlers.size === 0) unregister();
  };
}

function runHandlers(): void {
  for (const stopNow of handlers) stopNow();
}

function exitIfUnhandled(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  runHandlers();
  unregister();
  process.kill(process.pid, signal);
}

function unregister(): void {
  process.off('exit', runHandlers);
  for (const signal of signals) process.off(signal, exitIfUnhandled);
}

/**
 * A listener would override the ignored signals of nohup or of a shell's `&`. Only Linux reports them; elsewhere SIGHUP counts
 * as ignored.
 */
function isIgnored(signal: NodeJS.Signals): boolean {
  if (process.platform !== 'linux') return signal === 'SIGHUP';
  return hasProcStatusBit('SigIgn', constants.signals[signal] - 1);
}
