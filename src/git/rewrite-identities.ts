import { encodeHeaders, type Header, type HeadersAndText, parseHeaders } from './commit.ts';
import { decodeGitText, isForeignEncoding } from './git-text.ts';
import { createObject, type GitObject, type Oid } from './object.ts';
import { cleanPersonText, encodePerson, type Identity } from './person.ts';

/** Maximum length of a key: the limit of the index. */
const maxKeyChars = 500;

/**
 * Parses the identity of a person line. The key, `Name <email>` without the timestamp, identifies an author. Bytes that
 * are not in the encoding of the commit become U+FFFD. Undefined for a line without an email address.
 */
export function parseIdentity(line: Buffer, encoding?: string): (Identity & { key: string }) | undefined {
  const open = line.indexOf('<');
  const close = open < 0 ? -1 : line.indexOf('>', open);
  if (close < 0) return undefined;
  const name = cleanText(decodeGitText(line.subarray(0, open), encoding));
  const email = cleanText(decodeGitText(line.subarray(open + 1, close), encoding));
  return { name, email, key: `${name} <${email}>`.slice(0, maxKeyChars).toWellFormed() };
}

/** PostgreSQL text cannot contain NUL. */
const cleanText = (text: string): string => text.replaceAll('\0', '').trim();

/**
 * Rewrites the identities of authors, committers and taggers in commits and tags; trees and blobs do not change.
 * Objects must be passed after the objects they refer to. The map from old to new ids of rewritten objects stays in
 * memory.
 *
 * A signature covers the exact bytes, so signatures of rewritten commits and tags are dropped, as are copied tags
 * (`mergetag`), which name a commit that is no longer the parent.
 */
export class IdentityRewriter {
  readonly #identities: ReadonlyMap<string, Identity>;
  readonly #rewritten = new Map<Oid, Oid>();
  /** Number of objects whose signatures were dropped. */
  droppedSignatures = 0;

  /** `identities`: new identities by the key of `parseIdentity`. */
  constructor(people: ReadonlyMap<string, Identity>) {
    this.#identities = people;
  }

  /** The new id of an object, or the same id when it was not rewritten. */
  rewrittenOid(oid: Oid): Oid {
    return this.#rewritten.get(oid) ?? oid;
  }

  /** The rewritten object; undefined when it does not change. */
  rewrite({ oid, type, content }: GitObject): GitObject | undefined {
    if (type !== 'commit' && type !== 'tag') return undefined;
    const { headers, text } = parseHeaders(content, oid);
    const encoding = encodingOf(headers);
    let isChanged = false;
    let hasNewPerson = false;
    const mapped = headers.map(header => {
      const value = this.#rewriteHeader(header, encoding);
      if (value === undefined) return header;
      isChanged = true;
      if (personHeaders.has(header.name)) hasNewPerson = true;
      return { name: header.name, value, isNew: true };
    });
    if (!isChanged) return undefined;
    const kept = mapped.filter(({ name }) => !signatureHeaders.has(name));
    const message = type === 'tag' && text ? stripTagSignature(text) : text;
    if (kept.length < mapped.length || message !== text) this.droppedSignatures++;
    // New names are UTF-8: what is beside them becomes it, too.
    const parts = { headers: kept, text: message };
    const made = createObject(type, encodeHeaders(hasNewPerson ? toUtf8(parts, encoding) : parts));
    this.#rewritten.set(oid, made.oid);
    return made;
  }

  /** Undefined when the header does not change. */
  #rewriteHeader({ name, value }: Header, encoding: string | undefined): Buffer | undefined {
    switch (name) {
      case 'parent':
      case 'object': {
        const to = this.#rewritten.get(value.toString('latin1'));
        return to === undefined ? undefined : Buffer.from(to);
      }
      case 'author':
      case 'committer':
      case 'tagger':
        return this.#rewritePerson(value, encoding);
      default:
        return undefined;
    }
  }

  /** The timestamp stays byte for byte, even a malformed one. */
  #rewritePerson(line: Buffer, encoding: string | undefined): Buffer | undefined {
    const key = parseIdentity(line, encoding)?.key;
    const to = key === undefined ? undefined : this.#identities.get(key);
    if (!to) return undefined;
    // What was not mapped is from the source, which may hold what git would not write.
    const [name, email] = [cleanPersonText(to.name), cleanPersonText(to.email)];
    const shown = encodePerson({ name, email, seconds: 0, zone: '+0000' });
    const end = shown.lastIndexOf('>') + 1;
    return Buffer.concat([shown.subarray(0, end), line.subarray(line.indexOf('>', line.indexOf('<')) + 1)]);
  }
}

const personHeaders: ReadonlySet<string> = new Set(['author', 'committer', 'tagger']);

const encodingOf = (headers: readonly Header[]): string | undefined =>
  headers.find(({ name }) => name === 'encoding')?.value.toString('latin1');

/** A commit whose people and message are UTF-8, without a header that says otherwise; `isNew`: the value is UTF-8 already. */
function toUtf8(
  { headers, text }: { headers: readonly (Header & { isNew?: boolean })[]; text: Buffer | undefined },
  encoding: string | undefined,
): HeadersAndText {
  const convert = (bytes: Buffer): Buffer =>
    isForeignEncoding(encoding) ? Buffer.from(decodeGitText(bytes, encoding)) : bytes;
  return {
    headers: headers
      .filter(({ name }) => name !== 'encoding' || !isForeignEncoding(encoding))
      .map(({ name, value, isNew }) => ({ name, value: personHeaders.has(name) && !isNew ? convert(value) : value })),
    text: text && convert(text),
  };
}

const signatureHeaders = new Set(['gpgsig', 'gpgsig-sha256', 'mergetag']);

/** The message of a tag without its signature; the same buffer when there is none. */
function stripTagSignature(text: Buffer): Buffer {
  const starts = ['PGP SIGNATURE', 'PGP MESSAGE', 'SSH SIGNATURE', 'SIGNED MESSAGE']
    .map(kind => text.indexOf(`-----BEGIN ${kind}-----`))
    .filter(at => at === 0 || (at > 0 && text[at - 1] === 0x0a));
  return starts.length === 0
    ? text
    : text.subarray(
        0,
        starts.reduce((first, at) => Math.min(first, at)),
      );
}
