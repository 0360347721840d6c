import assert from 'node:assert/strict';
import type { Benchmark } from './benchmark.ts';
import { contentsFile } from './contents-world.ts';

const path = `/repos/${contentsFile.repository}/contents/${contentsFile.path}`;
const request = { path, headers: { 'user-agent': 'bench' } };

function check(body: unknown): void {
  const { size, content } = body as { size: number; content: string };
  assert.equal(size, contentsFile.size);
  assert.equal(Buffer.from(content, 'base64').length, size);
}

/**
 * A file of 10 KB, three folders deep in a public repository, through trees and blobs; the hand-written server reads one table.
 */
export const contents: Benchmark = {
  name: 'contents',
  about: `GET ${path}: a file of 10 KB`,
  rounds: 3,
  seconds: 4,
  contenders: [
    { label: 'facade', server: 'gateway', request, check },
    { label: 'hand-written', server: 'hand-written-contents', request, check },
  ],
  comparisons: [{ figure: 'cpu', of: 'facade', over: 'hand-written', bar: 1.3 }],
  same: {
    one: 'facade',
    other: 'hand-written',
    headers: request.headers,
    paths: [
      path,
      path.replace('file-7', 'file-13'),
      path.replace('bench-contents', 'BENCH-Contents'),
      path.replace('file-7', 'none'),
    ],
  },
};
