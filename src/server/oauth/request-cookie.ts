import type { IncomingMessage } from 'node:http';

/** The value of a cookie that a browser sent. */
export function requestCookie({ headers: { cookie = '' } }: IncomingMessage, name: string): string | undefined {
  const [, value] = new RegExp(`(?:^|;\\s*)${name}=([\\w.-]+)`).exec(cookie) ?? [];
  return value;
}
