import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Oid } from '../object.ts';
import { readCommit } from '../read-objects.ts';
import type { Repository } from '../repository.ts';
import { type ArchiveEntry, archiveEntries } from './archive-entries.ts';

/** The commit to archive and a path prefix: empty, or ending in a slash. */
export interface ArchiveOptions {
  commit: Oid;
  prefix: string;
}

const blockBytes = 512;
/** The size of the archive is a multiple of this; it ends in at least two empty blocks. */
const recordBytes = 20 * blockBytes;
/** Sizes of the header fields for the name, the path prefix and the link target. */
const fieldBytes = { name: 100, prefix: 155, link: 100 };

/**
 * The bytes of `git archive --format=tar --prefix=<prefix> <commit>`. Own code, because no library produces the same
 * bytes: people compare checksums of archives, so the output must be stable over time and across machines.
 */
export async function* createTar(repository: Repository, { commit, prefix }: ArchiveOptions): AsyncGenerator<Buffer> {
  const archived = { oid: commit, commit: await readCommit(repository, commit) };
  const { tree, committer } = archived.commit;
  const time = committer.seconds;
  let written = 0;
  for await (const piece of pieces()) {
    written += piece.length;
    yield piece;
  }
  const tail = recordBytes - (written % recordBytes);
  yield Buffer.alloc(tail < 2 * blockBytes ? tail + recordBytes : tail);

  async function* pieces(): AsyncGenerator<Buffer> {
    const comment = paxRecord('comment', commit);
    yield formatHeader({ name: 'pax_global_header', mode: 0o666, size: comment.length, type: 'g', time });
    yield padToBlock(comment);
    if (prefix.endsWith('/')) {
      const path = Buffer.from(prefix).toString('latin1');
      yield* formatEntry({ path, kind: 'directory', isExecutable: true, oid: tree, content: undefined }, time);
    }
    const pathPrefix = Buffer.from(prefix).toString('latin1');
    for await (const entry of archiveEntries(repository, archived)) {
      yield* formatEntry({ ...entry, path: `${pathPrefix}${entry.path}` }, time);
    }
  }
}

/** The same, compressed with gzip. Level and header are fixed; the operating system byte is always Unix. */
export async function* createTarGz(repository: Repository, options: ArchiveOptions): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 6 });
  const feeding = pipeline(createTar(repository, options), gzip);
  // Awaited below; the reader sees a failure first, as the end of its stream.
  feeding.catch(() => {});
  let isFirst = true;
  for await (const chunk of gzip) {
    if (isFirst && chunk.length > 9) chunk[9] = 3;
    isFirst = false;
    yield chunk;
  }
  await feeding;
}

async function* formatEntry(entry: ArchiveEntry, time: number): AsyncGenerator<Buffer> {
  const { path, kind, isExecutable, oid, content } = entry;
  const target = kind === 'symlink' ? await readLinkTarget(entry) : undefined;
  const pax: Buffer[] = [];
  const at = splitPathAt(path);
  let [before, name] = at > 0 ? [path.slice(0, at), path.slice(at + 1)] : ['', path];
  if (name.length > fieldBytes.name) {
    [before, name] = ['', `${oid}.data`];
    pax.push(paxRecord('path', path));
  }
  let link = target ?? '';
  if (link.length > fieldBytes.link) {
    pax.push(paxRecord('linkpath', link));
    link = `see ${oid}.paxheader`;
  }
  if (pax.length > 0) {
    const extended = Buffer.concat(pax);
    yield formatHeader({ name: `${oid}.paxheader`, mode: 0o666, size: extended.length, type: 'x', time });
    yield padToBlock(extended);
  }
  // 0777 and 0666 under git's default tar.umask of 0002.
  const mode = kind === 'symlink' ? 0o777 : kind !== 'file' || isExecutable ? 0o775 : 0o664;
  const type = kind === 'symlink' ? '2' : kind === 'file' ? '0' : '5';
  const size = kind === 'file' ? (content?.size ?? 0) : 0;
  yield formatHeader({ name, before, mode, size, type, link, time });
  if (size === 0 || !content) return;
  yield* content.pieces();
  if (size % blockBytes > 0) yield Buffer.alloc(blockBytes - (size % blockBytes));
}

async function readLinkTarget({ content }: ArchiveEntry): Promise<string> {
  let text = '';
  for await (const piece of content?.pieces() ?? []) text += piece.toString('latin1');
  return text;
}

/** The index of the slash at which a long path is split between the prefix and name fields; 0 when there is none. */
function splitPathAt(path: string): number {
  if (path.length <= fieldBytes.name) return 0;
  let at = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  at = Math.min(at, fieldBytes.prefix);
  do at--;
  while (at > 0 && path[at] !== '/');
  return at > 0 && path.length - at - 1 <= fieldBytes.name ? at : 0;
}

interface HeaderFields {
  name: string;
  before?: string;
  mode: number;
  size: number;
  type: string;
  link?: string;
  time: number;
}

function formatHeader({ name, before = '', mode, size, type, link = '', time }: HeaderFields): Buffer {
  const bytes = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  const put = (at: number, text: string): void => void bytes.write(text, at, 'latin1');
  put(0, name);
  put(100, octal(mode, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(size, 11));
  put(136, octal(time, 11));
  put(148, ' '.repeat(8));
  put(156, type);
  put(157, link);
  put(257, 'ustar\x0000');
  put(265, 'root');
  put(297, 'root');
  put(329, octal(0, 7));
  put(337, octal(0, 7));
  put(345, before);
  let sum = 0;
  for (const byte of bytes) sum += byte;
  put(148, octal(sum, 7));
  return bytes;
}

/** `<length> <key>=<value>\n`, where the length includes itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length;
  while (`${length}${rest}`.length !== length) length = `${length}${rest}`.length;
  return Buffer.from(`${length}${rest}`, 'latin1');
}

function padToBlock(content: Buffer): Buffer {
  const rest = content.length % blockBytes;
  return rest === 0 ? content : Buffer.concat([content, Buffer.alloc(blockBytes - rest)]);
}
