import { GitError } from './git-error.ts';

/** By the value of the header `encoding`; null for one that is not known. Bounded, because people write the names. */
const decoders = new Map<string, TextDecoder | null>();
const maxDecoders = 100;

/** The decoder of a commit by its header `encoding`; undefined for UTF-8, and for an encoding that is not known. */
function decoderOf(encoding: string | undefined): TextDecoder | undefined {
  if (encoding === undefined) return undefined;
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    decoder = newDecoder(encoding);
    if (decoders.size < maxDecoders) decoders.set(encoding, decoder);
  }
  return decoder ?? undefined;
}

function newDecoder(encoding: string): TextDecoder | null {
  try {
    const decoder = new TextDecoder(encoding);
    return decoder.encoding === 'utf-8' ? null : decoder;
  } catch {
    return null;
  }
}

/** The text of a commit, which its header `encoding` may say of; as UTF-8 otherwise. Other bytes become U+FFFD. */
export function decodeGitText(bytes: Buffer, encoding: string | undefined): string {
  return decoderOf(encoding)?.decode(bytes) ?? bytes.toString();
}

/** Whether the texts of a commit with this header `encoding` are stored in another known encoding than UTF-8. */
export const isForeignEncoding = (encoding: string | undefined): boolean => decoderOf(encoding) !== undefined;

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
