import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type LimitedGitOptions, startLimitedGitInTurn } from './limited-git.ts';
import { packSettings, processLimits } from './pack-limits.ts';
import type { Ref } from './refs.ts';

/** Writes a bare repository without objects and refs. `head`: full name of the branch that HEAD points to. */
export async function createBareRepository(folder: string, head = 'refs/heads/main'): Promise<void> {
  await mkdir(join(folder, 'objects', 'pack'), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, 'refs'));
  await writeFile(join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n');
  await writeFile(join(folder, 'HEAD'), `ref: ${head}\n`);
}

export const refLines = (refs: readonly Ref[]): string => refs.map(({ name, oid }) => `${oid} ${name}\n`).join('');

/** The file `packed-refs`; lines of an id, a space and a name, sorted by name. */
export const packedRefs = (lines: string): string => `# pack-refs with: sorted \n${lines}`;

/** Adds the objects of a pack to a repository on disk. git computes their ids from their contents. */
export async function addPack(
  folder: string,
  pack: AsyncIterable<Buffer>,
  work: Pick<LimitedGitOptions, 'signal' | 'onCpuTime'>,
): Promise<void> {
  const { process: child, ended } = await startLimitedGitInTurn(['index-pack', '--stdin'], {
    folder,
    limits: processLimits,
    config: packSettings,
    ...work,
  });
  child.stdout.resume();
  const source: { error?: unknown } = {};
  try {
    await pipeline(Readable.from(watched(pack, source), { objectMode: false }), child.stdin, { signal: work.signal });
  } catch (error) {
    child.stdin.destroy();
    // Git fails as well when it has lost its input. Otherwise the reason why it has stopped reading comes first.
    await ended.catch(reason => {
      if (!('error' in source)) throw reason;
    });
    throw error;
  }
  await ended;
}

/** Yields what `pack` yields, and keeps its error: not one that the reader of the stream throws into it. */
async function* watched(pack: AsyncIterable<Buffer>, source: { error?: unknown }): AsyncGenerator<Buffer> {
  const pieces = pack[Symbol.asyncIterator]();
  try {
    for (;;) {
      const piece = await pieces.next().catch((error: unknown) => {
        source.error = error;
        throw error;
      });
      if (piece.done) return;
      yield piece.value;
    }
  } finally {
    await pieces.return?.();
  }
}
