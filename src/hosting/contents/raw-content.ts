import { Readable } from 'node:stream';
import { openBlob } from '../../git/open-blob.ts';
import { openRepository, type RepositorySource } from '../../git/repository.ts';

/**
 * Opens the bytes that a RawContent handle identifies, or an inclusive range of them. Handles are given only to callers
 * that may read the file.
 */
export function openRawContent(source: RepositorySource) {
  return async (handle: string, range?: { start: number; end: number }): Promise<Readable> => {
    const [id, oid = ''] = handle.split(':');
    const blob = await openBlob(openRepository(source, Number(id)), oid);
    if (!blob) throw new Error(`The blob ${handle} is gone.`);
    return Readable.from(blob.pieces(range && { start: range.start, end: range.end + 1 }), { objectMode: false });
  };
}
