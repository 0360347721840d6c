import { randomBytes } from 'node:crypto';
import { encodeBase62, hashToken } from '../../auth/hosting-token.ts';

/** A client id of one of two forms, which never meet: one look-up by client id finds one kind of app. */
export function newClientId(kind: 'app' | 'oauth-app'): string {
  return `${kind === 'app' ? 'Iv' : 'Ov'}${encodeBase62(randomBytes(18))}`;
}

/** A new secret, shown once, and what is kept of it. */
export function newClientSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(20).toString('hex');
  return { secret, hash: clientSecretHash(secret) };
}

export const clientSecretHash = (secret: string): Buffer => Buffer.from(hashToken(secret), 'base64url');
