import type { DerivedKeys } from '../../auth/derived-keys.ts';
import { DecryptionError, decrypt, encrypt } from '../../auth/encryption.ts';
import { validationFailed } from '../../errors/errors.ts';

/** With which a source is asked. */
export interface ImportCredentials {
  username: string;
  password: string;
}

const maxChars = 1_000;

/** The credentials out of a request; undefined where none were sent. A control character would be another line for git: 422. */
export function parseCredentials(given: {
  username?: string | null | undefined;
  password?: string | null | undefined;
}): ImportCredentials | undefined {
  const { username, password } = given;
  if ((username ?? '') === '' && (password ?? '') === '') return undefined;
  for (const [field, value] of [
    ['vcs_username', username ?? ''],
    ['vcs_password', password ?? ''],
  ] as const) {
    if (value.length > maxChars || /\p{Cc}/u.test(value)) {
      const message = `It has at most ${maxChars} characters, none of them a control character.`;
      throw validationFailed([{ resource: 'Import', field, code: 'custom', message }]);
    }
  }
  return { username: username ?? '', password: password ?? '' };
}

const purpose = (repositoryId: number): string => `source-import:${repositoryId}`;

export function sealCredentials(
  { encryption: key }: DerivedKeys,
  repositoryId: number,
  credentials: ImportCredentials,
): string {
  return encrypt(key, JSON.stringify(credentials), purpose(repositoryId));
}

/** Undefined where there are none, and where they were sealed with another key: then the source will ask for them again. */
export function unsealCredentials(
  { encryption: key }: DerivedKeys,
  repositoryId: number,
  sealed: string | null,
): ImportCredentials | undefined {
  if (sealed === null) return undefined;
  try {
    return JSON.parse(decrypt(key, sealed, purpose(repositoryId))) as ImportCredentials;
  } catch (error) {
    if (error instanceof DecryptionError) return undefined;
    throw error;
  }
}

/** The header by which a source is asked with them. */
export function basicAuth({ username, password }: ImportCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** A text without the credentials in any of the forms they are sent in, without names in addresses, on one line of at most 500 characters. */
export function redactSecrets(text: string, credentials: ImportCredentials | undefined): string {
  let clean = text.replace(/\/\/[^/@\s'"]*@/g, '//');
  if (credentials) {
    const { username, password } = credentials;
    const forms = [basicAuth(credentials).slice(6), password, encodeURIComponent(password), username];
    // The longest first: one may be a part of another.
    for (const form of forms.filter(one => one !== '').sort((a, b) => b.length - a.length)) {
      clean = clean.replaceAll(form, '…');
    }
  }
  return clean
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 500);
}
