import type { IncomingMessage } from 'node:http';

/** The value of a cookie that a browser sent. */
export function requestCookie({ headers: { cookie = '' } }: IncomingMessage, name: string): string | undefined {
  for (const pair of cookie.split(';')) {
    const [key, value = ''] = pair.trimStart().split('=', 2);
    const [text] = key === name ? (/^[\w.-]+/.exec(value) ?? []) : [];
    if (text !== undefined) return text;
  }
  return undefined;
}
