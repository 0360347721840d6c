import { LRUCache } from 'lru-cache';
import { perDatabase } from '../../db/per-database.ts';
import type { Oid } from '../../git/object.ts';
import type { Repository } from '../../git/repository.ts';
import { readSmallBlob } from './read-small-blob.ts';

/**
 * Room for texts, in bytes: some 1,100 files of 10 KB. To encode one took a sixth of the CPU of the request that reads it, as
 * much as everything that is done with the database. One text takes at most a thirty-second part; larger ones are not kept.
 */
const cacheBytes = 16 * 1024 * 1024;
const maxEntryBytes = cacheBytes / 32;
/** Beside a text: the key and the list. */
const entryOverheadBytes = 300;

/** A blob never changes. */
const cacheFor = perDatabase(
  () =>
    new LRUCache<string, string>({
      maxSize: cacheBytes,
      maxEntrySize: maxEntryBytes,
      sizeCalculation: text => entryOverheadBytes + text.length,
    }),
);

/**
 * A blob in Base64, in lines of 60 characters that are each ended by a line feed; empty for one that is larger than `most` or
 * not there. The repository is part of what is remembered: who may read it has been asked of that one.
 */
export async function readBlobBase64(repository: Repository, oid: Oid, maxBytes: number): Promise<string> {
  const cache = cacheFor(repository.read);
  const key = `${repository.id}:${oid}`;
  const before = cache.get(key);
  if (before !== undefined) return before;
  const bytes = await readSmallBlob(repository, oid, maxBytes);
  const text = bytes ? wrapLines(bytes) : '';
  cache.set(key, text);
  return text;
}

/** Encoded at once and then cut: to encode each line by itself took seven times as long. */
function wrapLines(bytes: Buffer): string {
  const text = bytes.toString('base64');
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += 60) lines.push(text.slice(at, at + 60));
  // So that the last line ends with a line feed too.
  if (text !== '') lines.push('');
  return lines.join('\n');
}
