import { hash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { CompressedContents, ContentsToCompress } from './compress-objects.ts';
import { compression } from './object-rows.ts';

/** Entry point of the worker thread. */
export function run({ contents, ends }: ContentsToCompress): CompressedContents {
  const streams: Buffer[] = [];
  const streamEnds: number[] = [];
  const sha256 = new Uint8Array(ends.length * 32);
  let end = 0;
  for (const [at, to] of ends.entries()) {
    const content = contents.subarray(ends[at - 1] ?? 0, to);
    const stream = deflateSync(content, compression);
    streams.push(stream);
    end += stream.length;
    streamEnds.push(end);
    sha256.set(hash('sha256', content, 'buffer'), at * 32);
  }
  const compressed = new Uint8Array(end);
  for (const [at, stream] of streams.entries()) compressed.set(stream, streamEnds[at - 1] ?? 0);
  return { compressed, ends: streamEnds, sha256 };
}
