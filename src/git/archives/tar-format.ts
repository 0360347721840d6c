import type { Oid } from '../object.ts';
import type { EntryKind } from '../tree.ts';

/**
 * The headers of `git archive --format=tar`, byte for byte. Own code, because no library produces the same bytes: people compare
 * checksums of archives, so they must be stable over time and across machines.
 */
interface TarEntry {
  /** Bytes as latin1 characters; directories end in a slash. */
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  oid: Oid;
  /** Bytes of content; 0 for everything but files. */
  size: number;
  /** Content of a symlink. */
  target: Buffer | undefined;
  /** Seconds since 1970. */
  time: number;
}

const blockBytes = 512;
/** The size of the archive is a multiple of this; it ends in at least two empty blocks. */
const recordBytes = 20 * blockBytes;
/** Sizes of the header fields for the name, the path prefix and the link target. */
const fieldBytes = { name: 100, prefix: 155, link: 100 };

/** Everything of an entry that precedes its content. */
export function formatTarHeaders({ path, kind, isExecutable, oid, size, target, time }: TarEntry): Buffer[] {
  const pax: Buffer[] = [];
  const at = splitPathAt(path);
  let [before, name] = at > 0 ? [path.slice(0, at), path.slice(at + 1)] : ['', path];
  if (name.length > fieldBytes.name) {
    [before, name] = ['', `${oid}.data`];
    pax.push(paxRecord('path', path));
  }
  let link = target?.toString('latin1') ?? '';
  if (link.length > fieldBytes.link) {
    pax.push(paxRecord('linkpath', link));
    link = `see ${oid}.paxheader`;
  }
  // 0777 and 0666 under git's default tar.umask of 0002.
  const mode = kind === 'symlink' ? 0o777 : kind !== 'file' || isExecutable ? 0o775 : 0o664;
  const type = kind === 'symlink' ? '2' : kind === 'file' ? '0' : '5';
  const header = formatHeader({ name, before, mode, size, type, link, time });
  return pax.length === 0 ? [header] : [...formatPax(`${oid}.paxheader`, 'x', Buffer.concat(pax), time), header];
}

/** The header that precedes all entries; its comment is the id of the commit. */
export function formatGlobalHeader(commit: Oid, time: number): Buffer[] {
  return formatPax('pax_global_header', 'g', paxRecord('comment', commit), time);
}

/** What follows content of this many bytes. */
export function tarPadding(size: number): Buffer {
  const rest = size % blockBytes;
  return rest === 0 ? empty : zeros.subarray(0, blockBytes - rest);
}

/** The end of an archive of this many bytes. */
export function tarEnd(size: number): Buffer {
  const tail = recordBytes - (size % recordBytes);
  return Buffer.alloc(tail < 2 * blockBytes ? tail + recordBytes : tail);
}

const empty = Buffer.alloc(0);
const zeros = Buffer.alloc(blockBytes);

function formatPax(name: string, type: 'x' | 'g', records: Buffer, time: number): Buffer[] {
  return [formatHeader({ name, mode: 0o666, size: records.length, type, time }), records, tarPadding(records.length)];
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
