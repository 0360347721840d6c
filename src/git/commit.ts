import { GitError } from './git-error.ts';
import { encodeCString } from './git-text.ts';
import { isOid, type Oid } from './object.ts';
import { encodePerson, type Person, parsePerson } from './person.ts';

/** A header of a commit or tag. Continuation lines are joined by line feeds. */
export interface Header {
  name: string;
  value: Buffer;
}

/** The lossless parsed form of a commit or tag: `encodeHeaders` returns the same bytes. */
export interface HeadersAndText {
  headers: Header[];
  /** Undefined when the blank line before the message is missing. */
  text: Buffer | undefined;
}

export interface Commit {
  tree: Oid;
  parents: Oid[];
  author: Person;
  committer: Person;
  /** Encoding of the message and of the people; undefined for UTF-8. */
  encoding: string | undefined;
  /** The armored signature of the `gpgsig` header, without the leading spaces of continuation lines. */
  signature: Buffer | undefined;
  message: Buffer;
}

/** The fields of a new commit. */
export interface NewCommit {
  tree: Oid;
  parents: readonly Oid[];
  author: Person;
  committer: Person;
  signature?: string;
  /** Stored unchanged: nothing is trimmed or appended. */
  message: string;
}

export interface Tag {
  target: Oid;
  /** The type of the target according to the tag. */
  type: string;
  name: Buffer;
  tagger: Person | undefined;
  message: Buffer;
}

/**
 * Encodes a commit.
 * @throws GitError `bad-person`; `bad-text` for a message or signature that would not be stored as it is
 */
export function encodeCommit(commit: NewCommit): Buffer {
  const headers: Header[] = [
    { name: 'tree', value: Buffer.from(commit.tree) },
    ...commit.parents.map(parent => ({ name: 'parent', value: Buffer.from(parent) })),
    { name: 'author', value: encodePerson(commit.author) },
    { name: 'committer', value: encodePerson(commit.committer) },
  ];
  if (commit.signature !== undefined)
    headers.push({ name: 'gpgsig', value: encodeCString(commit.signature, 'signature') });
  return encodeHeaders({ headers, text: encodeCString(commit.message, 'message') });
}

/**
 * Encodes an annotated tag.
 * @throws GitError `bad-person`; `bad-text` for a name or message that would not be stored as it is
 */
export function encodeTag(tag: { target: Oid; type: string; name: string; tagger: Person; message: string }): Buffer {
  const headers = [
    { name: 'object', value: Buffer.from(tag.target) },
    { name: 'type', value: Buffer.from(tag.type) },
    { name: 'tag', value: encodeCString(tag.name, 'tag') },
    { name: 'tagger', value: encodePerson(tag.tagger) },
  ];
  return encodeHeaders({ headers, text: encodeCString(tag.message, 'message') });
}

/** The headers that are read. Others are not kept in memory: a commit of 16 MB has up to 5 million of them. */
const commitHeaders: ReadonlySet<string> = new Set(['author', 'committer', 'encoding', 'gpgsig']);

/**
 * Parses a commit. `subject` identifies it in errors.
 * @throws GitError `corrupt`
 */
export function parseCommit(content: Buffer, subject: string): Commit {
  const { tree, parents, end } = parseLinks(content, subject);
  const found = new Map<string, Buffer>();
  const textAt = scanHeaders(content, subject, end, (name, from, to) => {
    if (commitHeaders.has(name) && !found.has(name)) found.set(name, unfold(content.subarray(from, to)));
  });
  const empty = Buffer.alloc(0);
  const encoding = found.get('encoding')?.toString('latin1');
  return {
    tree,
    parents,
    author: parsePerson(found.get('author') ?? empty, encoding),
    committer: parsePerson(found.get('committer') ?? empty, encoding),
    encoding,
    signature: found.get('gpgsig'),
    message: textAt === undefined ? empty : content.subarray(textAt),
  };
}

/**
 * Parses only the tree and parent lines of a commit, which end before the byte `end`.
 * @throws GitError `corrupt`
 */
export function parseLinks(content: Buffer, subject: string): { tree: Oid; parents: Oid[]; end: number } {
  const tree = content.toString('latin1', 5, 45);
  if (content.toString('latin1', 0, 5) !== 'tree ' || !isOid(tree) || content[45] !== 0x0a) {
    throw new GitError('corrupt', subject, `The commit ${subject} does not begin with its tree.`);
  }
  const parents: Oid[] = [];
  let at = 46;
  for (; content.toString('latin1', at, at + 7) === 'parent '; at += 48) {
    const parent = content.toString('latin1', at + 7, at + 47);
    if (!isOid(parent) || content[at + 47] !== 0x0a) {
      throw new GitError('corrupt', subject, `The commit ${subject} has a parent that is no id.`);
    }
    parents.push(parent);
  }
  return { tree, parents, end: at };
}

export function parseTag(content: Buffer, subject: string): Tag {
  const headers: Header[] = [];
  const textAt = scanHeaders(content, subject, 0, (name, from, to) => {
    if (headers.length < maxTagHeaders) headers.push({ name, value: unfold(content.subarray(from, to)) });
  });
  const [object, type, name, tagger] = headers;
  const target = object?.value.toString('latin1') ?? '';
  if (object?.name !== 'object' || !isOid(target) || type?.name !== 'type' || name?.name !== 'tag') {
    throw new GitError('corrupt', subject, `The tag ${subject} does not say what it points to.`);
  }
  return {
    target,
    type: type.value.toString('latin1'),
    name: name.value,
    tagger: tagger?.name === 'tagger' ? parsePerson(tagger.value) : undefined,
    message: textAt === undefined ? Buffer.alloc(0) : content.subarray(textAt),
  };
}

/** Object, type, name and tagger. */
const maxTagHeaders = 4;

/**
 * Splits a commit or tag into headers and message.
 * @throws GitError `corrupt`
 */
export function parseHeaders(content: Buffer, subject: string): HeadersAndText {
  const headers: Header[] = [];
  const textAt = scanHeaders(content, subject, 0, (name, from, to) => {
    headers.push({ name, value: unfold(content.subarray(from, to)) });
  });
  return { headers, text: textAt === undefined ? undefined : content.subarray(textAt) };
}

/**
 * Calls `visit` with each header from the byte `start` on and the range of its value, continuation lines as they are stored. Returns
 * where the text begins; undefined without a blank line.
 * @throws GitError `corrupt`
 */
function scanHeaders(
  content: Buffer,
  subject: string,
  start: number,
  visit: (name: string, from: number, to: number) => void,
): number | undefined {
  for (let at = start; at < content.length; ) {
    if (content[at] === lineFeed) return at + 1;
    let end = content.indexOf(lineFeed, at);
    const space = content.indexOf(blank, at);
    if (end >= 0 && (space < 0 || space > end))
      throw new GitError('corrupt', subject, `The object ${subject} has a header without a value.`);
    while (end >= 0 && content[end + 1] === blank) end = content.indexOf(lineFeed, end + 1);
    if (end < 0) throw new GitError('corrupt', subject, `The object ${subject} ends within a header.`);
    visit(content.toString('latin1', at, space), space + 1, end);
    at = end + 1;
  }
  return undefined;
}

/** Joins the continuation lines of a header, each of which begins with a space. The same buffer when there is none. */
export function unfold(value: Buffer): Buffer {
  let end = value.indexOf(lineFeed);
  if (end < 0) return value;
  const joined = Buffer.allocUnsafe(value.length);
  let size = 0;
  for (let from = 0; ; end = value.indexOf(lineFeed, from)) {
    if (end < 0) return joined.subarray(0, size + value.copy(joined, size, from));
    size += value.copy(joined, size, from, end + 1);
    from = end + 2;
  }
}

const lineFeed = 0x0a;
const blank = 0x20;
const newline = Buffer.from('\n');

/** Encodes headers and message: the inverse of `parseHeaders`. */
export function encodeHeaders({ headers, text }: HeadersAndText): Buffer {
  const parts: Buffer[] = [];
  for (const { name, value } of headers) {
    parts.push(Buffer.from(`${name} `, 'latin1'));
    // A value that ends in a line feed produces a last line of one space; the object id depends on it.
    for (let from = 0; ; ) {
      const end = value.indexOf(0x0a, from);
      if (end < 0) {
        parts.push(value.subarray(from), newline);
        break;
      }
      parts.push(value.subarray(from, end), Buffer.from('\n '));
      from = end + 1;
    }
  }
  if (text !== undefined) parts.push(newline, text);
  return Buffer.concat(parts);
}
