import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * The value was encrypted with another key or for another purpose, or was modified. It does not say which: that would be an
 * oracle.
 */
export class DecryptionError extends Error {
  override name = 'DecryptionError';
  constructor() {
    super('A sealed value cannot be opened.');
  }
}

// The version is a prefix, so that another cipher can be introduced and old values stay readable.
const version = 'v1';
const cipher = 'aes-256-gcm';
// 96 random bits: the chance that two values of one key share a nonce stays below 2^-32 up to 2^32 values.
const nonceBytes = 12;
const tagBytes = 16;

/** Keys of 32 bytes each: the first one encrypts, and every one decrypts. */
export type EncryptionKeys = readonly [current: Uint8Array, ...accepted: Uint8Array[]];

/**
 * Encrypts `text` with AES-256-GCM under the current key. `purpose` is authenticated as additional data, so a value that was
 * encrypted for one purpose cannot be decrypted for another. Returns letters, digits, `-`, `_` and one dot. The nonce is
 * random, so equal texts give different results.
 */
export function encrypt([key]: EncryptionKeys, text: string, purpose: string): string {
  const nonce = randomBytes(nonceBytes);
  const encryptor = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(additionalData(purpose));
  const body = Buffer.concat([encryptor.update(text, 'utf8'), encryptor.final()]);
  return `${version}.${Buffer.concat([nonce, encryptor.getAuthTag(), body]).toString('base64url')}`;
}

/** Decrypts a value of `encrypt`. @throws DecryptionError unless it is unmodified, its key is accepted and its purpose is the same */
export function decrypt(keys: EncryptionKeys, encrypted: string, purpose: string): string {
  for (const key of keys) {
    const text = decryptWith(key, encrypted, purpose);
    if (text !== undefined) return text;
  }
  throw new DecryptionError();
}

/** Whether the value was encrypted with the current key. */
export const isCurrent = ([key]: EncryptionKeys, encrypted: string, purpose: string): boolean =>
  decryptWith(key, encrypted, purpose) !== undefined;

/** Undefined for a value of another key or purpose, and for a modified one. */
function decryptWith(key: Uint8Array, encrypted: string, purpose: string): string | undefined {
  try {
    const [, encoded = ''] = /^v1\.([\w-]+)$/.exec(encrypted) ?? [];
    const bytes = Buffer.from(encoded, 'base64url');
    // Node ignores characters outside the alphabet; without this check one value would have many encodings.
    if (bytes.toString('base64url') !== encoded) return undefined;
    const decryptor = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decryptor.setAAD(additionalData(purpose)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return decryptor.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decryptor.final('utf8');
  } catch {
    return undefined;
  }
}

const additionalData = (purpose: string): Buffer => Buffer.from(`${version}:${purpose}`, 'utf8');
