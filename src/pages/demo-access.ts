import type { IncomingMessage } from 'node:http';
import { isFromThisMachine } from '../server/is-from-this-machine.ts';

/** What opens the demo world. */
export interface DemoCredentials {
  health: { email: string; password: string };
  hosting: { login: string; token: string; organization: string };
  /** File with all log-ins and tokens. */
  file: string;
}

/** Shows the credentials of the demo world to the person at the machine. */
export class DemoAccess {
  readonly #credentials: DemoCredentials | undefined;

  /** @param credentials undefined where there is no demo world */
  constructor(credentials: DemoCredentials | undefined) {
    this.#credentials = credentials;
  }

  /** The credentials for a request that comes from this machine and was sent to it; undefined for any other. */
  forRequest(request: IncomingMessage): DemoCredentials | undefined {
    return isFromThisMachine(request) ? this.#credentials : undefined;
  }
}
