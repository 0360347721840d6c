import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { addPack, createBareRepository } from '../../src/git/bare-repository.ts';
import { GitProcessError } from '../../src/git/limited-git.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'add-pack-')), 'copy.git');
afterAll(() => rmSync(join(folder, '..'), { recursive: true }));
await createBareRepository(folder);

const work = { signal: new AbortController().signal, onCpuTime: () => {} };
/** The header of a pack of two objects. */
const header = Buffer.from('5041434b0000000200000002', 'hex');

test('a database that is lost while it is read is reported, and not that git has lost its input', async () => {
  const lost = Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' });
  async function* pack() {
    yield header;
    throw lost;
  }
  await expect(addPack(folder, pack(), work)).rejects.toBe(lost);
});

test('what git refuses is reported, and not that it has stopped reading', async () => {
  async function* pack() {
    for (;;) yield Buffer.alloc(65_536, 'no pack');
  }
  await expect(addPack(folder, pack(), work)).rejects.toBeInstanceOf(GitProcessError);
});

test('a pack that ends too early is refused by git', async () => {
  async function* pack() {
    yield header;
  }
  await expect(addPack(folder, pack(), work)).rejects.toBeInstanceOf(GitProcessError);
});
