import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { heard } from '../errors/heard.ts';

/** A child process could not be started for lack of descriptors, processes or memory; `code` says which. */
export class ProcessStartError extends Error {
  override name = 'ProcessStartError';
  readonly code: string;

  constructor(command: string, code: string, cause?: unknown) {
    super(`${command} cannot be started (${code}).`, { cause });
    this.code = code;
  }
}

/**
 * Starts a child process whose streams are there: `spawn` of Node.js throws for lack of memory, and leaves `stdio` undefined for lack of
 * descriptors. An error of the start that Node.js reports later, such as that of a program that does not exist, is an `error` event, which
 * ends this process only where nobody listens; here somebody does from the first moment.
 *
 * @throws ProcessStartError
 */
export function startProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  let child: ChildProcess;
  try {
    child = heard(spawn(command, args, options));
  } catch (error) {
    throw new ProcessStartError(command, String((error as { code?: unknown }).code ?? 'unknown'), error);
  }
  if ((child.stdio as unknown) === undefined) throw new ProcessStartError(command, 'EMFILE');
  return child;
}
