import { GitError } from './git-error.ts';

/**
 * The bytes of a text in UTF-8. Unpaired surrogates have none: an encoder would store U+FFFD in their place.
 * @param field names the text in the error
 * @throws GitError `bad-text`
 */
export function encodeGitText(text: string, field: string): Buffer {
  if (!text.isWellFormed())
    throw new GitError('bad-text', field, `${field} has an unpaired surrogate, which is no text.`);
  return Buffer.from(text);
}

/**
 * The same for texts that git reads as C strings, such as messages: they end at a NUL.
 * @throws GitError `bad-text`
 */
export function encodeCString(text: string, field: string): Buffer {
  if (text.includes('\0'))
    throw new GitError('bad-text', field, `${field} has a NUL character, which git cannot store.`);
  return encodeGitText(text, field);
}
