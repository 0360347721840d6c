import { parseTokenKind } from '../auth/hosting-token.ts';

/**
 * The Authorization header that the REST API takes for what git sends. git knows only Basic: the token is the password with any
 * user name, or the user name with any password (`https://TOKEN@host/…`). Everything else stays as it is: the client id and secret
 * of an app, a token as Bearer, and passwords, which count as failed attempts.
 */
export function gitAuthorization(header: string | undefined): string | undefined {
  const payload = /^\s*basic\s+([A-Za-z0-9+/]{1,4000}={0,2})\s*$/i.exec(header ?? '')?.[1];
  if (payload === undefined) return header;
  const text = Buffer.from(payload, 'base64').toString();
  const colon = text.indexOf(':');
  const [user, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  const token = [password, user].find(one => parseTokenKind(one) !== undefined);
  return token === undefined ? header : `Bearer ${token}`;
}
