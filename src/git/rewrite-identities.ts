import { encodeHeaders, type Header, parseHeaders } from './commit.ts';
import { createObject, type GitObject, type Oid } from './object.ts';
import { encodePerson } from './person.ts';

/** How somebody is called. */
export interface Identity {
  name: string;
  email: string;
}

/** Longest text that stands for somebody: an index cannot hold more. */
const maxKeyChars = 500;

/**
 * What tells one author from another: `Name <address>` as it stands in the line, without the moment. Bytes that are no UTF-8
 * become U+FFFD. Undefined for a line that names nobody.
 */
export function parseIdentity(line: Buffer): (Identity & { key: string }) | undefined {
  const open = line.indexOf('<');
  const close = open < 0 ? -1 : line.indexOf('>', open);
  if (close < 0) return undefined;
  const name = cleanText(line.toString('utf8', 0, open));
  const email = cleanText(line.toString('utf8', open + 1, close));
  return { name, email, key: `${name} <${email}>`.slice(0, maxKeyChars).toWellFormed() };
}

/** PostgreSQL holds no NUL. */
const cleanText = (text: string): string => text.replaceAll('\0', '').trim();

/**
 * Writes commits and tags anew with other authors, committers and taggers; folders and files stay as they are. Give it every
 * object after those it points to. It remembers one id for each that was changed.
 *
 * A signature is of the exact bytes, so one of a changed commit or tag is worth nothing and is left out, and with it a
 * merged tag that a commit has copied, which names a commit that is no longer its parent.
 */
export class IdentityRewriter {
  readonly #identities: ReadonlyMap<string, Identity>;
  readonly #rewritten = new Map<Oid, Oid>();
  /** How many signatures were left out. */
  droppedSignatures = 0;

  /** `people`: by the key of `identityOf`. */
  constructor(people: ReadonlyMap<string, Identity>) {
    this.#identities = people;
  }

  /** Where an id leads now. */
  rewrittenOid(oid: Oid): Oid {
    return this.#rewritten.get(oid) ?? oid;
  }

  /** The object that stands for it now; undefined where it stays as it is. */
  rewrite({ oid, type, content }: GitObject): GitObject | undefined {
    if (type !== 'commit' && type !== 'tag') return undefined;
    const { headers, text } = parseHeaders(content, oid);
    let isChanged = false;
    const mapped = headers.map(header => {
      const value = this.#rewriteHeader(header);
      if (value === undefined) return header;
      isChanged = true;
      return { name: header.name, value };
    });
    if (!isChanged) return undefined;
    const kept = mapped.filter(({ name }) => !signatureHeaders.has(name));
    const message = type === 'tag' && text ? stripTagSignature(text) : text;
    if (kept.length < mapped.length || message !== text) this.droppedSignatures++;
    const made = createObject(type, encodeHeaders({ headers: kept, text: message }));
    this.#rewritten.set(oid, made.oid);
    return made;
  }

  /** Undefined where the header stays. */
  #rewriteHeader({ name, value }: Header): Buffer | undefined {
    switch (name) {
      case 'parent':
      case 'object': {
        const to = this.#rewritten.get(value.toString('latin1'));
        return to === undefined ? undefined : Buffer.from(to);
      }
      case 'author':
      case 'committer':
      case 'tagger':
        return this.#rewritePerson(value);
      default:
        return undefined;
    }
  }

  /** The moment stays byte for byte, however odd it is. */
  #rewritePerson(line: Buffer): Buffer | undefined {
    const key = parseIdentity(line)?.key;
    const to = key === undefined ? undefined : this.#identities.get(key);
    if (!to) return undefined;
    const shown = encodePerson({ ...to, seconds: 0, zone: '+0000' });
    const end = shown.lastIndexOf('>') + 1;
    return Buffer.concat([shown.subarray(0, end), line.subarray(line.indexOf('>', line.indexOf('<')) + 1)]);
  }
}

const signatureHeaders = new Set(['gpgsig', 'gpgsig-sha256', 'mergetag']);

/** The message of a tag without the signature behind it; the same buffer where there is none. */
function stripTagSignature(text: Buffer): Buffer {
  const starts = ['PGP SIGNATURE', 'PGP MESSAGE', 'SSH SIGNATURE', 'SIGNED MESSAGE']
    .map(kind => text.indexOf(`-----BEGIN ${kind}-----`))
    .filter(at => at === 0 || (at > 0 && text[at - 1] === 0x0a));
  return starts.length === 0 ? text : text.subarray(0, Math.min(...starts));
}
