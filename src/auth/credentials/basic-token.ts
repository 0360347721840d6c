import { parseTokenKind } from '../hosting-token.ts';

/**
 * The token in the payload of a Basic header: the password with any user name, or the user name with any password
 * (`https://TOKEN@host/…`, `TOKEN:x-oauth-basic`). git knows no other form. Undefined for the client id and secret of an app, and for
 * passwords, which count as failed attempts.
 */
export function parseBasicToken(payload: string): string | undefined {
  if (!/^[A-Za-z0-9+/]{1,4000}={0,2}$/.test(payload)) return undefined;
  const text = Buffer.from(payload, 'base64').toString();
  const colon = text.indexOf(':');
  const [user, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  return [password, user].find(one => parseTokenKind(one) !== undefined);
}
