import { randomBytes } from 'node:crypto';
import { encodeBase62, storedHash } from '../../auth/hosting-token.ts';

/** Creates a client id. The two prefixes keep client ids of apps and OAuth apps disjoint. */
export function newClientId(kind: 'app' | 'oauth-app'): string {
  return `${kind === 'app' ? 'Iv' : 'Ov'}${encodeBase62(randomBytes(18))}`;
}

/** Creates a client secret, shown once, and the hash that is stored. */
export function newClientSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(20).toString('hex');
  return { secret, hash: storedHash(secret) };
}
