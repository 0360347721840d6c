import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Pinning } from './pinning.ts';
import type { RunnerMessage, ServerMessage } from './server-process.ts';

/** A server in a separate process. */
export interface Server {
  address: string;
  /** CPU time of the process since its start, in microseconds. Requested over IPC, not over HTTP. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts the target `name` with the database at `url`. Its log goes to /dev/null, so that every line is formatted and written
 * without disk time.
 *
 * @param file the `server-process.ts` of another tree, whose own code is run
 */
export async function startServer(
  name: string,
  url: string,
  pinning: Pinning | undefined,
  file = join(import.meta.dirname, 'server-process.ts'),
): Promise<Server> {
  const program = [process.execPath, file, name, url];
  const [command = '', ...args] = pinning ? ['taskset', '-c', pinning.server, ...program] : program;
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const message = await next(child, name);
  if (message.kind !== 'ready') throw new Error(`The server «${name}» did not say that it is ready.`);
  return {
    address: message.address,
    async cpu() {
      const answer = next(child, name);
      child.send('cpu' satisfies RunnerMessage);
      const message = await answer;
      if (message.kind !== 'cpu') throw new Error(`The server «${name}» did not tell its CPU time.`);
      return message.microseconds;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise(resolve => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** The next message of the process. Rejects if it exits. */
function next(child: ChildProcess, name: string): Promise<ServerMessage> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', reject);
      act();
    };
    const onMessage = (received: unknown): void => settle(() => resolve(received as ServerMessage));
    const onExit = (code: number | null): void =>
      settle(() => reject(new Error(`The server «${name}» ended with ${code}.`)));
    child.once('message', onMessage);
    child.once('exit', onExit);
    child.once('error', reject);
  });
}
