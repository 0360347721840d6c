import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../auth/is-same-secret.ts';
import { requestCookie } from '../server/oauth/request-cookie.ts';

/** What opens the demo world. */
export interface DemoCredentials {
  health: { email: string; password: string };
  hosting: { login: string; token: string; organization: string };
  /** Service credential of the dashboard of the installation. */
  service: string;
  /** File with all log-ins and tokens. */
  file: string;
}

const cookieName = 'portico_demo';

/**
 * Shows the credentials of the demo world to the browser that has opened the one-time link of the start, until the process ends. The
 * address of a client says nothing: a proxy on this machine, with or without a forwarding header, connects from it as well.
 */
export class DemoAccess {
  readonly #credentials: DemoCredentials;
  readonly #link = randomBytes(18).toString('base64url');
  readonly #cookie = randomBytes(18).toString('base64url');
  #isOpened = false;

  constructor(credentials: DemoCredentials) {
    this.#credentials = credentials;
  }

  /** Path and query of the link. */
  get path(): string {
    return `/?demo=${this.#link}`;
  }

  /** The cookie for the browser that opens the link: for the first that does, and for no other. */
  open(link: string | null): { name: string; value: string } | undefined {
    if (this.#isOpened || link === null || !isSameSecret(link, this.#link)) return undefined;
    this.#isOpened = true;
    return { name: cookieName, value: this.#cookie };
  }

  /** The credentials, for a browser that has opened the link. */
  shownTo(request: IncomingMessage): DemoCredentials | undefined {
    return isSameSecret(requestCookie(request, cookieName) ?? '', this.#cookie) ? this.#credentials : undefined;
  }
}
