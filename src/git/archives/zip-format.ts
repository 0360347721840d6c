import { isUtf8 } from 'node:buffer';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Oid } from '../object.ts';
import type { EntryKind } from '../tree.ts';

/**
 * The records of a zip file (APPNOTE.TXT 6.3). Own code, because archives must keep their bytes over the years: these are the bytes
 * that yazl 3.3 writes, with one zlib stream for each file. For 50,000 files of 3 KB yazl took 30 s of CPU and 1.1 GB of memory;
 * other libraries were not measured: one that writes other records would change the bytes of every archive.
 */
export interface ZipEntry {
  /** Bytes as latin1 characters; directories end in a slash. */
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  /** Seconds since 1970. */
  time: number;
}

/** What is known of content after it was written. */
export interface ZippedContent {
  crc: number;
  compressed: number;
  size: number;
}

/** The level of every archive, forever. */
export const zipLevel = 6;

/** An entry with its content, at `offset` of the file. `end`: the offset after it. */
export function formatZipEntry(
  entry: ZipEntry & { content: Buffer },
  offset: number,
): { local: Buffer[]; central: Buffer; end: number } {
  const { content } = entry;
  const header = formatLocalHeader(entry, content.length > 0);
  if (isFolder(entry)) {
    const central = formatCentralRecord(entry, { crc: 0, compressed: 0, size: 0 }, offset);
    return { local: [header], central, end: offset + header.length };
  }
  // The output buffer: the default of 16 KB would stay in memory with a file of 1 KB.
  const chunkSize = Math.min(64 * 1024, content.length + 64);
  const data = content.length > 0 ? deflateRawSync(content, { level: zipLevel, chunkSize }) : content;
  const zipped = { crc: crc32(content), compressed: data.length, size: content.length };
  const descriptor = formatDescriptor(zipped, offset);
  return {
    local: [header, data, descriptor],
    central: formatCentralRecord(entry, zipped, offset),
    end: offset + header.length + data.length + descriptor.length,
  };
}

/** Precedes the content. Sizes follow in the descriptor, because a large file is compressed while it is sent. */
export function formatLocalHeader(entry: ZipEntry, isCompressed: boolean): Buffer {
  const name = Buffer.from(entry.path, 'latin1');
  const bytes = Buffer.alloc(30 + name.length);
  bytes.writeUInt32LE(0x04034b50, 0);
  bytes.writeUInt16LE(version.basic, 4);
  bytes.writeUInt16LE(flagsOf(entry, name), 6);
  bytes.writeUInt16LE(isCompressed ? deflated : 0, 8);
  writeTime(bytes, entry.time, 10);
  bytes.writeUInt16LE(name.length, 26);
  name.copy(bytes, 30);
  return bytes;
}

/** Follows the content of a file. */
export function formatDescriptor({ crc, compressed, size }: ZippedContent, offset: number): Buffer {
  const isLong = needsZip64({ compressed, size, offset });
  const bytes = Buffer.alloc(isLong ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  if (isLong) {
    writeUInt64(bytes, compressed, 8);
    writeUInt64(bytes, size, 16);
  } else {
    bytes.writeUInt32LE(compressed, 8);
    bytes.writeUInt32LE(size, 12);
  }
  return bytes;
}

/** The record of an entry in the central directory. `offset`: that of its local header. */
export function formatCentralRecord(entry: ZipEntry, { crc, compressed, size }: ZippedContent, offset: number): Buffer {
  const name = Buffer.from(entry.path, 'latin1');
  const isLong = needsZip64({ compressed, size, offset });
  const bytes = Buffer.alloc(46 + name.length + (isLong ? 28 : 0));
  bytes.writeUInt32LE(0x02014b50, 0);
  bytes.writeUInt16LE(version.madeBy, 4);
  bytes.writeUInt16LE(isLong ? version.zip64 : version.basic, 6);
  bytes.writeUInt16LE(flagsOf(entry, name), 8);
  bytes.writeUInt16LE(size > 0 ? deflated : 0, 10);
  writeTime(bytes, entry.time, 12);
  bytes.writeUInt32LE(crc, 16);
  bytes.writeUInt32LE(isLong ? max32 : compressed, 20);
  bytes.writeUInt32LE(isLong ? max32 : size, 24);
  bytes.writeUInt16LE(name.length, 28);
  bytes.writeUInt16LE(isLong ? 28 : 0, 30);
  bytes.writeUInt32LE((modeOf(entry) << 16) >>> 0, 38);
  bytes.writeUInt32LE(isLong ? max32 : offset, 42);
  name.copy(bytes, 46);
  if (!isLong) return bytes;
  const at = 46 + name.length;
  bytes.writeUInt16LE(0x0001, at);
  bytes.writeUInt16LE(24, at + 2);
  writeUInt64(bytes, size, at + 4);
  writeUInt64(bytes, compressed, at + 12);
  writeUInt64(bytes, offset, at + 20);
  return bytes;
}

/**
 * Records of the central directory while the archive is written: those of 500,000 entries take up to 2 GB, and paths repeat. Level 1
 * takes 0.5 ms for 500 records.
 */
export function packCentral(records: Uint8Array): Buffer {
  return deflateRawSync(records, { level: 1, chunkSize: 64 * 1024 });
}

export function unpackCentral(packed: Uint8Array): Buffer {
  return inflateRawSync(packed);
}

/** The end of the file: `entries` records of `bytes` bytes in a central directory at `offset`. */
export function formatZipEnd(
  { entries, bytes, offset }: { entries: number; bytes: number; offset: number },
  comment: Oid,
): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(entries, max16), 8);
  end.writeUInt16LE(Math.min(entries, max16), 10);
  end.writeUInt32LE(Math.min(bytes, max32), 12);
  end.writeUInt32LE(Math.min(offset, max32), 16);
  end.writeUInt16LE(comment.length, 20);
  const tail = Buffer.concat([end, Buffer.from(comment)]);
  if (entries < max16 && bytes < max32 && offset < max32) return tail;
  const long = Buffer.alloc(56 + 20);
  long.writeUInt32LE(0x06064b50, 0);
  writeUInt64(long, 56 - 12, 4);
  long.writeUInt16LE(version.madeBy, 12);
  long.writeUInt16LE(version.zip64, 14);
  writeUInt64(long, entries, 24);
  writeUInt64(long, entries, 32);
  writeUInt64(long, bytes, 40);
  writeUInt64(long, offset, 48);
  long.writeUInt32LE(0x07064b50, 56);
  writeUInt64(long, offset + bytes, 64);
  long.writeUInt32LE(1, 72);
  return Buffer.concat([long, tail]);
}

const deflated = 8;
const max16 = 0xffff;
const max32 = 0xffffffff;
/** Versions of the specification times ten: what a reader needs, and what wrote the file (on Unix: its modes are kept). */
const version = { basic: 20, zip64: 45, madeBy: (3 << 8) | 63 };
/** Bits of the flags: sizes follow the content; the name is UTF-8. */
const flags = { descriptor: 1 << 3, utf8: 1 << 11 };

function isFolder({ kind }: ZipEntry): boolean {
  return kind === 'directory' || kind === 'submodule';
}

/** A name that is not UTF-8 keeps its bytes, as in git, and has no flag. */
function flagsOf(entry: ZipEntry, name: Buffer): number {
  return (isFolder(entry) ? 0 : flags.descriptor) | (isUtf8(name) ? flags.utf8 : 0);
}

function modeOf({ kind, isExecutable }: ZipEntry): number {
  if (kind === 'symlink') return 0o120777;
  if (kind !== 'file') return 0o40755;
  return isExecutable ? 0o100755 : 0o100644;
}

function needsZip64({ compressed, size, offset }: { compressed: number; size: number; offset: number }): boolean {
  return Math.max(compressed, size, offset) >= max32;
}

/** The first and last second that the format can express, since 1970. */
const timeRange = { first: Date.UTC(1980, 0, 1) / 1000, last: Date.UTC(2107, 11, 31, 23, 59, 58) / 1000 };

/** Time and date in UTC, because the format has no time zones. Odd seconds are rounded down. */
function writeTime(bytes: Buffer, seconds: number, at: number): void {
  const date = new Date(Math.min(timeRange.last, Math.max(timeRange.first, seconds)) * 1000);
  const [hours, minutes] = [date.getUTCHours(), date.getUTCMinutes()];
  bytes.writeUInt16LE((hours << 11) | (minutes << 5) | Math.floor(date.getUTCSeconds() / 2), at);
  const [years, month] = [date.getUTCFullYear() - 1980, date.getUTCMonth() + 1];
  bytes.writeUInt16LE((years << 9) | (month << 5) | date.getUTCDate(), at + 2);
}

function writeUInt64(bytes: Buffer, value: number, at: number): void {
  bytes.writeBigUInt64LE(BigInt(value), at);
}
