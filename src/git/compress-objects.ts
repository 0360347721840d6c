import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { workerPool } from '../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../workers/worker-task.ts';
import type { GitObject } from './object.ts';
import { compression, type ObjectRow, objectRowWith } from './object-rows.ts';

/** Contents one after the other, and where each ends. */
export interface ContentsToCompress {
  contents: Uint8Array;
  ends: readonly number[];
}

export interface CompressedContents {
  /** zlib streams one after the other, and where each ends. */
  compressed: Uint8Array;
  ends: number[];
  /** 32 bytes for each. */
  sha256: Uint8Array;
}

/** 4 MB take 0.2 s. */
const compressionTask: WorkerTask<ContentsToCompress, CompressedContents> = {
  name: 'objects of pushes',
  program: programBeside(import.meta.url, 'compress-worker'),
  deadlineMs: 30_000,
  maxQueued: 32,
  maxQueuedPerKey: 32,
  maxQueueMs: 30_000,
};

const deflateAsync = promisify(deflate);

/**
 * The rows of some megabytes of objects, compressed by a worker thread. One call for each object, on the thread pool of Node.js,
 * takes three times as long: 28,000 objects 8.3 s instead of 3.1 s. It is the way out when no worker thread is free.
 */
export async function compressObjects(objects: readonly GitObject[]): Promise<ObjectRow[]> {
  const ends: number[] = [];
  let end = 0;
  for (const { content } of objects) {
    end += content.length;
    ends.push(end);
  }
  // Shared: it is not copied to the thread.
  const contents = new Uint8Array(new SharedArrayBuffer(end));
  for (const [at, { content }] of objects.entries()) contents.set(content, (ends[at] as number) - content.length);
  const outcome = await workerPool.run(compressionTask, { contents, ends });
  if (outcome.kind !== 'done') {
    return Promise.all(objects.map(async one => objectRowWith(one, await deflateAsync(one.content, compression))));
  }
  const { compressed, ends: streamEnds, sha256 } = outcome.value;
  const [streams, hashes] = [Buffer.from(compressed.buffer), Buffer.from(sha256.buffer)];
  return objects.map((one, at) =>
    objectRowWith(
      one,
      streams.subarray(streamEnds[at - 1] ?? 0, streamEnds[at]),
      hashes.subarray(at * 32, at * 32 + 32),
    ),
  );
}
