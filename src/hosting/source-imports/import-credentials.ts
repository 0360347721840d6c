import type { DerivedKeys } from '../../auth/derived-keys.ts';
import { DecryptionError, decrypt, encrypt } from '../../auth/encryption.ts';
import { validationFailed } from '../../errors/errors.ts';
import { isTooLong } from '../text-problems.ts';
import { importLimits } from './import-limits.ts';

/** Credentials for a source. */
export interface ImportCredentials {
  username: string;
  password: string;
}

const { maxLength } = importLimits.credential;

/**
 * The credentials of a request; undefined when none were sent.
 * @throws 422 for control characters, which would inject lines into git's credential protocol
 */
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
    if (isTooLong(value, maxLength) || /\p{Cc}/u.test(value)) {
      const message = `It has at most ${maxLength} characters, none of them a control character.`;
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

/** Undefined when there are none, or when they were sealed with another key: the source then asks for them again. */
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

/** The value of the Authorization header. */
export function basicAuth({ username, password }: ImportCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/**
 * Removes the credentials in every form in which they are sent, and user names in URLs; one line of at most 500
 * characters.
 */
export function redactSecrets(text: string, credentials: ImportCredentials | undefined): string {
  let clean = text.replace(/\/\/[^/@\s'"]*@/g, '//');
  if (credentials) {
    const { username, password } = credentials;
    const forms = [basicAuth(credentials).slice(6), password, encodeURIComponent(password), username];
    // Longest first: one may be part of another.
    for (const form of forms.filter(one => one !== '').sort((a, b) => b.length - a.length)) {
      clean = clean.replaceAll(form, '…');
    }
  }
  return clean
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 500);
}
