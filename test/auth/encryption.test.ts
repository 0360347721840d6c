import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DecryptionError, decrypt, type EncryptionKeys, encrypt, isCurrent } from '../../src/auth/encryption.ts';

const keys: EncryptionKeys = [randomBytes(32)];

test('decrypts what was encrypted, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string({ maxLength: 20 }), (text, purpose) => {
      expect(decrypt(keys, encrypt(keys, text, purpose), purpose)).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('an encrypted value is one word, does not contain the text, and differs each time', () => {
  const sealed = encrypt(keys, 'ann@example.org', 'mail');
  expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
  expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('ann');
  expect(encrypt(keys, 'ann@example.org', 'mail')).not.toBe(sealed);
});

describe('fails to decrypt a value', () => {
  const sealed = encrypt(keys, 'a secret', 'mail');
  const refused = (value: string, withKey: Uint8Array = keys[0], purpose = 'mail') =>
    expect(() => decrypt([withKey], value, purpose)).toThrow(DecryptionError);

  test('with another key, or an invalid one', () => {
    refused(sealed, randomBytes(32));
    refused(sealed, randomBytes(16));
    refused(sealed, new Uint8Array());
  });

  test('for another purpose', () => {
    refused(sealed, keys[0], 'secret of a webhook');
    refused(sealed, keys[0], '');
  });

  test('after a change of any bit', () => {
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      refused(`v1.${changed.toString('base64url')}`);
    }
  });

  test('that is truncated, extended, or encoded in another way', () => {
    for (let length = 0; length < sealed.length; length++) refused(sealed.slice(0, length));
    for (const more of ['A', '=', '\n', ' ', '.', '!']) refused(sealed + more);
    refused(sealed.replace('v1.', 'v2.'));
    refused(sealed.replace('v1.', 'v1.!'));
    refused(` ${sealed}`);
    // The last base64url character of this length has unused bits, which must not give a second encoding.
    const [last = ''] = sealed.slice(-1);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const other of alphabet.replace(last, '')) refused(sealed.slice(0, -1) + other);
  });

  test('that was never encrypted', () => {
    fc.assert(fc.property(fc.string(), text => refused(text)));
    fc.assert(fc.property(fc.uint8Array(), bytes => refused(`v1.${Buffer.from(bytes).toString('base64url')}`)));
  });
});

test('a key that is only accepted decrypts, and the current one encrypts', () => {
  const next: EncryptionKeys = [randomBytes(32), ...keys];
  const old = encrypt(keys, 'a secret', 'mail');
  expect([decrypt(next, old, 'mail'), isCurrent(next, old, 'mail')]).toEqual(['a secret', false]);
  const renewed = encrypt(next, 'a secret', 'mail');
  expect([decrypt([next[0]], renewed, 'mail'), isCurrent(next, renewed, 'mail')]).toEqual(['a secret', true]);
  expect(() => decrypt(keys, renewed, 'mail')).toThrow(DecryptionError);
});
