import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitError } from './git-error.ts';
import { type LimitedGitOptions, startLimitedGit } from './limited-git.ts';
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
  const { process: child, ended } = startLimitedGit(['index-pack', '--stdin'], {
    folder,
    limits: processLimits,
    config: packSettings,
    ...work,
  });
  child.stdout.resume();
  try {
    await pipeline(Readable.from(pack, { objectMode: false }), child.stdin, { signal: work.signal });
  } catch (error) {
    child.stdin.destroy();
    // The reason why git has stopped reading comes first, except when it has only lost its input.
    await ended.catch(reason => {
      if (!(error instanceof GitError)) throw reason;
    });
    throw error;
  }
  await ended;
}
