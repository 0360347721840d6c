import { CommandError } from '../hosting/accounts/accounts.commands.ts';

/** Aborted by SIGINT and SIGTERM, so that a command stops its processes and deletes its temporary files. */
export function interrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop.abort(new CommandError(`Stopped by ${signal}.`)));
  }
  return stop.signal;
}
