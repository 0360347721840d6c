import { LRUCache } from 'lru-cache';
import { isTurnDue, nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';
import { readSmallBlob } from './read-small-blob.ts';

/**
 * Size of the cache in bytes: about 1,100 files of 10 KB. Encoding took a sixth of the CPU time of a request, as much
 * as all database work. One entry takes at most 1/32; larger ones are not cached.
 */
const cacheBytes = 16 * 1024 * 1024;
const maxEntryBytes = cacheBytes / 32;
/** Per entry: the key and the list node. */
const entryOverheadBytes = 300;

/** Blobs are immutable, so entries are never stale. */
const cacheFor = perDatabase(
  () =>
    new LRUCache<string, string>({
      maxSize: cacheBytes,
      maxEntrySize: maxEntryBytes,
      sizeCalculation: text => entryOverheadBytes + text.length,
    }),
);

/**
 * A blob in Base64, in lines of 60 characters that each end in a line feed; empty when it is larger than `maxBytes` or
 * does not exist. The repository id is part of the cache key, because access was checked for that repository.
 */
export async function readBlobBase64(repository: Repository, oid: Oid, maxBytes: number): Promise<string> {
  const cache = cacheFor(repository.read);
  const key = `${repository.id}:${oid}`;
  const before = cache.get(key);
  if (before !== undefined) return before;
  const bytes = await readSmallBlob(repository, oid, maxBytes);
  const text = bytes ? await wrapLines(bytes) : '';
  cache.set(key, text);
  return text;
}

/** A multiple of the 45 bytes of a line: 370 KB take about 1 ms. */
const pieceBytes = 45 * 8_192;

/** Encodes pieces of many lines and then splits them: encoding each line took seven times as long. */
async function wrapLines(bytes: Buffer): Promise<string> {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    if (from > 0 && isTurnDue()) await nextEventLoopTurn();
    const text = bytes.subarray(from, from + pieceBytes).toString('base64');
    const lines: string[] = [];
    for (let at = 0; at < text.length; at += 60) lines.push(text.slice(at, at + 60));
    // The last line ends in a line feed too.
    lines.push('');
    pieces.push(lines.join('\n'));
  }
  return pieces.join('');
}
