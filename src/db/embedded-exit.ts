import { constants } from 'node:os';
import { ownStatusBit } from './embedded-pid.ts';

const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).filter(signal => !isIgnored(signal));
const guards = new Set<() => void>();

/**
 * Calls `stopNow`, which must be synchronous, when this process ends without having called the returned function:
 * a server in its own session would outlive it otherwise. A process that nobody taught to handle SIGINT, SIGTERM or
 * SIGHUP dies without an exit event, so those are watched too, and passed on when nobody else listens to them.
 */
export function guardExit(stopNow: () => void): () => void {
  if (guards.size === 0) {
    process.on('exit', runGuards);
    // First in the list: a `once` listener that ran before us would be gone, and the signal look unattended.
    for (const signal of signals) process.prependListener(signal, dieIfUnattended);
  }
  guards.add(stopNow);
  return () => {
    if (guards.delete(stopNow) && guards.size === 0) unregister();
  };
}

function runGuards(): void {
  for (const stopNow of guards) stopNow();
}

function dieIfUnattended(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  runGuards();
  unregister();
  process.kill(process.pid, signal);
}

function unregister(): void {
  process.off('exit', runGuards);
  for (const signal of signals) process.off(signal, dieIfUnattended);
}

/** A listener would undo what nohup, or a shell's `&`, arranged for. Only Linux tells; elsewhere nohup is assumed. */
function isIgnored(signal: NodeJS.Signals): boolean {
  if (process.platform !== 'linux') return signal === 'SIGHUP';
  return ownStatusBit('SigIgn', constants.signals[signal] - 1);
}
