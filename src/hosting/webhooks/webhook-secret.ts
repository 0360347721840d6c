import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DerivedKeys } from '../../auth/derived-keys.ts';
import { decrypt, encrypt } from '../../auth/encryption.ts';

const sealPurpose = 'webhook secret';

/** What stands in answers in the place of a secret. */
export const secretMask = '********';

/** A secret as it is kept. */
export const sealSecret = (keys: Pick<DerivedKeys, 'encryption'>, secret: string): string =>
  encrypt(keys.encryption, secret, sealPurpose);

/** What deliveries are signed with: a secret in the two ways in which the signatures take it. Nothing that prints it shows it. */
export interface WebhookSigningKeys {
  /** The letters of the secret. */
  plain: KeyObject;
  /** As Standard Webhooks have it: what stands in base64 behind `whsec_`; any other secret as it is. */
  standard: KeyObject;
}

/**
 * Opens sealed secrets, for a process: what was opened lately is remembered by how it is sealed, so that a new secret holds at once.
 * Opening one and making its keys took longer than the signatures.
 */
export function secretOpener({
  encryption: key,
}: Pick<DerivedKeys, 'encryption'>): (sealed: string) => WebhookSigningKeys {
  const opened = new LRUCache<string, WebhookSigningKeys>({ max: 1_000, ttl: 60_000 });
  return sealed => {
    const known = opened.get(sealed);
    if (known) return known;
    const secret = decrypt(key, sealed, sealPurpose);
    const isStandard = secret.startsWith('whsec_');
    const keys = {
      plain: createSecretKey(secret, 'utf8'),
      standard: isStandard ? createSecretKey(secret.slice(6), 'base64') : createSecretKey(secret, 'utf8'),
    };
    opened.set(sealed, keys);
    return keys;
  };
}
