import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { DerivedKeys } from '../../auth/derived-keys.ts';
import { decrypt, encrypt } from '../../auth/encryption.ts';

const sealPurpose = 'webhook secret';

/** Shown in answers in place of a secret. */
export const secretMask = '********';

/** Encrypts a secret for storage. */
export const sealSecret = (keys: Pick<DerivedKeys, 'encryption'>, secret: string): string =>
  encrypt(keys.encryption, secret, sealPurpose);

/**
 * The secret of a webhook as HMAC keys for both signature schemes. KeyObject does not reveal the secret when printed.
 */
export interface WebhookSigningKeys {
  /** The secret's characters as UTF-8. */
  plain: KeyObject;
  /** Key for Standard Webhooks: the base64 part after `whsec_`, or the characters of any other secret. */
  standard: KeyObject;
}

/**
 * Returns a function that decrypts sealed secrets, with a cache per process. The cache key is the sealed text, so a
 * changed secret takes effect at once. Decrypting and creating keys took longer than signing.
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
