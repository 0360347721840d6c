import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Keys } from '../../auth/keys.ts';
import { seal, unseal } from '../../auth/seal.ts';

const purpose = 'webhook secret';

/** What stands in answers in the place of a secret. */
export const mask = '********';

/** A secret as it is kept. */
export const sealedSecret = (keys: Pick<Keys, 'seal'>, secret: string): string => seal(keys.seal, secret, purpose);

/** What deliveries are signed with: a secret in the two ways in which the signatures take it. Nothing that prints it shows it. */
export interface SigningKeys {
  /** The letters of the secret. */
  plain: KeyObject;
  /** As Standard Webhooks have it: what stands in base64 behind `whsec_`; any other secret as it is. */
  standard: KeyObject;
}

/**
 * Opens sealed secrets, for a process: what was opened lately is remembered by how it is sealed, so that a new secret holds at once.
 * Opening one and making its keys took longer than the signatures.
 */
export function openedSecrets({ seal: key }: Pick<Keys, 'seal'>): (sealed: string) => SigningKeys {
  const opened = new LRUCache<string, SigningKeys>({ max: 1_000, ttl: 60_000 });
  return sealed => {
    const known = opened.get(sealed);
    if (known) return known;
    const secret = unseal(key, sealed, purpose);
    const isWritten = secret.startsWith('whsec_');
    const keys = {
      plain: createSecretKey(secret, 'utf8'),
      standard: isWritten ? createSecretKey(secret.slice(6), 'base64') : createSecretKey(secret, 'utf8'),
    };
    opened.set(sealed, keys);
    return keys;
  };
}
