import { constants } from 'node:os';
import { hasProcStatusBit } from './embedded-pid.ts';

const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).filter(signal => !isIgnored(signal));
const handlers = new Set<() => void>();

/**
 * Calls `stopNow`, which must be synchronous, when this process ends without having called the returned function:
 * a server in its own session would outlive it otherwise. A process that nobody taught to handle SIGINT, SIGTERM or
 * SIGHUP dies without an exit event, so those are watched too, and passed on when nobody else listens to them.
 */
export function onProcessEnd(stopNow: () => void): () => void {
  if (handlers.size === 0) {
    process.on('exit', runHandlers);
    // First in the list: a `once` listener that ran before us would be gone, and the signal look unattended.
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

/** A listener would undo what nohup, or a shell's `&`, arranged for. Only Linux tells; elsewhere nohup is assumed. */
function isIgnored(signal: NodeJS.Signals): boolean {
  if (process.platform !== 'linux') return signal === 'SIGHUP';
  return hasProcStatusBit('SigIgn', constants.signals[signal] - 1);
}
