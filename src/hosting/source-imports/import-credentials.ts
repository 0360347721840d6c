import type { Keys } from '../../auth/keys.ts';
import { SealBroken, seal, unseal } from '../../auth/seal.ts';
import { ruleBroken } from '../../errors/errors.ts';

/** With which a source is asked. */
export interface ImportCredentials {
  username: string;
  password: string;
}

const longest = 1_000;

/** The credentials out of a request; undefined where none were sent. A control character would be another line for git: 422. */
export function readCredentials(given: {
  username?: string | null | undefined;
  password?: string | null | undefined;
}): ImportCredentials | undefined {
  const { username, password } = given;
  if ((username ?? '') === '' && (password ?? '') === '') return undefined;
  for (const [field, value] of [
    ['vcs_username', username ?? ''],
    ['vcs_password', password ?? ''],
  ] as const) {
    if (value.length > longest || /\p{Cc}/u.test(value)) {
      const message = `It has at most ${longest} characters, none of them a control character.`;
      throw ruleBroken([{ resource: 'Import', field, code: 'custom', message }]);
    }
  }
  return { username: username ?? '', password: password ?? '' };
}

const purpose = (repositoryId: number): string => `source-import:${repositoryId}`;

export function sealCredentials({ seal: key }: Keys, repositoryId: number, credentials: ImportCredentials): string {
  return seal(key, JSON.stringify(credentials), purpose(repositoryId));
}

/** Undefined where there are none, and where they were sealed with another key: then the source will ask for them again. */
export function unsealCredentials(
  { seal: key }: Keys,
  repositoryId: number,
  sealed: string | null,
): ImportCredentials | undefined {
  if (sealed === null) return undefined;
  try {
    return JSON.parse(unseal(key, sealed, purpose(repositoryId))) as ImportCredentials;
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
}

/** The header by which a source is asked with them. */
export function basicOf({ username, password }: ImportCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** A text without the credentials in any of the forms they are sent in, without names in addresses, on one line of at most 500 characters. */
export function withoutSecrets(text: string, credentials: ImportCredentials | undefined): string {
  let clean = text.replace(/\/\/[^/@\s'"]*@/g, '//');
  if (credentials) {
    const { username, password } = credentials;
    const forms = [basicOf(credentials).slice(6), password, encodeURIComponent(password), username];
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
