import type { Oid } from '../object.ts';
import { decodeContent } from '../stored-content.ts';
import type { EntryKind } from '../tree.ts';
import { type ArchivedCommit, type Conversion, convertContent } from './conversions.ts';
import { formatTarHeaders, tarPadding } from './tar-format.ts';
import { formatZipEntry, packCentral } from './zip-format.ts';

/** An entry whose content is stored in one piece. */
export interface BatchEntry {
  /** Bytes as latin1 characters, without the prefix of the archive; directories end in a slash. */
  path: string;
  kind: EntryKind;
  isExecutable: boolean;
  oid: Oid;
  conversion: Conversion | undefined;
  /** Bytes of the blob before conversion. */
  size: number;
  /** Where its zlib stream starts (inclusive) and ends (exclusive) in the bytes of the batch. */
  start: number;
  end: number;
  /** Whether these bytes are the verified content itself: the blob is stored as a delta. */
  isDecoded: boolean;
}

/** A batch and everything that encoding it needs. */
export interface BatchToEncode {
  entries: readonly BatchEntry[];
  stored: Uint8Array;
  /** Path prefix: bytes as latin1 characters. */
  prefix: string;
  /** Seconds since 1970. */
  time: number;
  /** Undefined when no entry is converted: messages may have a megabyte. */
  archived: ArchivedCommit | undefined;
  /** `offset`: bytes of the zip file before the batch, because the central directory names the offset of each entry. */
  format: { kind: 'tar' } | { kind: 'zip'; offset: number };
}

export type EncodedBatch =
  | {
      kind: 'encoded';
      bytes: Uint8Array;
      /** Records of the central directory of a zip file, by `packCentral`; empty for tar. */
      central: Uint8Array;
      /** Their bytes. */
      centralBytes: number;
      /** Total of the contents after conversion. */
      contentBytes: number;
    }
  /** The stored bytes of this object are not those of its id. */
  | { kind: 'corrupt'; oid: Oid };

/** Encodes a batch. Runs on a worker thread, so everything that it imports must load there. */
export function encodeBatch({ entries, stored, prefix, time, archived, format }: BatchToEncode): EncodedBatch {
  const bytes: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = format.kind === 'zip' ? format.offset : 0;
  let contentBytes = 0;
  for (const entry of entries) {
    const content = contentOf(entry, stored, archived);
    if (content === 'corrupt') return { kind: 'corrupt', oid: entry.oid };
    contentBytes += content.length;
    const placed = { ...entry, path: `${prefix}${entry.path}`, time };
    if (format.kind === 'tar') {
      const size = entry.kind === 'file' ? content.length : 0;
      const target = entry.kind === 'symlink' ? content : undefined;
      for (const header of formatTarHeaders({ ...placed, size, target })) bytes.push(header);
      if (size > 0) bytes.push(content, tarPadding(size));
      continue;
    }
    const zipped = formatZipEntry({ ...placed, content }, offset);
    for (const part of zipped.local) bytes.push(part);
    central.push(zipped.central);
    offset = zipped.end;
  }
  const records = concat(central);
  const packed = format.kind === 'zip' ? new Uint8Array(packCentral(records)) : records;
  return { kind: 'encoded', bytes: concat(bytes), central: packed, centralBytes: records.length, contentBytes };
}

const empty = Buffer.alloc(0);

function contentOf(
  { kind, oid, size, start, end, isDecoded, conversion }: BatchEntry,
  stored: Uint8Array,
  archived: ArchivedCommit | undefined,
): Buffer | 'corrupt' {
  if (kind !== 'file' && kind !== 'symlink') return empty;
  const bytes = stored.subarray(start, end);
  const content = isDecoded
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    : decodeContent({ oid, type: 'blob', size, z: bytes });
  if (content === undefined) return 'corrupt';
  return conversion && archived ? convertContent(content, conversion, { oid, archived }) : content;
}

/** Not `Buffer.concat`: see `readBatch`. */
function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
