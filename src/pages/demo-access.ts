import type { IncomingMessage } from 'node:http';
import { isFromThisMachine } from '../server/is-from-this-machine.ts';

/** What opens the demo world. */
export interface DemoCredentials {
  health: { email: string; password: string };
  hosting: { login: string; token: string; organization: string };
  /** Service credential of the dashboard of the installation. */
  service: string;
  /** File with all log-ins and tokens. */
  file: string;
}

/**
 * The credentials of the demo world, which are shown to the person at the machine: undefined unless the request comes from this
 * machine and was sent to it. `demo` is undefined where there is no demo world.
 */
export function demoShownTo(
  request: Pick<IncomingMessage, 'socket' | 'headers'>,
  demo: DemoCredentials | undefined,
): DemoCredentials | undefined {
  return isFromThisMachine(request) ? demo : undefined;
}
