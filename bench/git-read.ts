import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Repository } from '../src/git/repository.ts';
import { type BuiltGit, type GitContext, median, person, withGitDatabase } from './git-world.ts';

const rounds = 3;
const reads = 2000;
const readsUncached = 200;
const path = 'src/parts/deep/file.ts';
const content = Buffer.from(
  Array.from({ length: 400 }, (_, at) => `export const value${at} = ${at};`)
    .join('\n')
    .slice(0, 10_240),
);

/**
 * A file of 10 KB three folders deep, by branch and path: the store with its cache, which reads only the ref, and a
 * hand-written statement by primary key on a table of files. CPU time of this process, in turns.
 */
export const gitRead = {
  name: 'git-read',
  about: 'a file of 10 KB three folders deep, by branch and path',
  bar: 1.3,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const measured = await withGitDatabase(url, run);
    const of = (label: string): number => median(measured[label] ?? []);
    const ratios = (measured.portico ?? []).map((one, at) => one / (measured['one statement']?.[at] ?? Number.NaN));
    const ratio = median(ratios);
    const reached = ratio <= gitRead.bar;
    const line = `portico / one statement, CPU: ${ratio.toFixed(2)} (rounds: ${ratios.map(one => one.toFixed(2)).join(', ')}); the bar is ≤ ${gitRead.bar}: ${reached ? 'reached' : 'MISSED'}`;
    return {
      text: [
        `\n${gitRead.name}: ${gitRead.about}\n`,
        ...Object.keys(measured).map(label => `  ${label.padEnd(24)} ${of(label).toFixed(0).padStart(5)} µs CPU`),
        `  ${line}`,
      ].join('\n'),
      missed: reached ? [] : [`${gitRead.name}: ${line}`],
    };
  },
};

async function run(git: BuiltGit, context: GitContext): Promise<Record<string, number[]>> {
  const repositoryId = 1;
  const blob = git.createObject('blob', content);
  const names = (folder: string): string[] => Array.from({ length: 40 }, (_, at) => `${folder}/other-${at}.ts`);
  const changes = [path, ...names('src'), ...names('src/parts'), ...names('src/parts/deep')].map(one => ({
    path: one,
    entry: { mode: git.modes.file, oid: blob.oid },
  }));
  const made = await git.applyChanges(
    git.openRepository(git.unlimitedSource(context.read), repositoryId),
    undefined,
    changes,
  );
  const message = 'First';
  const commit = git.createObject(
    'commit',
    git.encodeCommit({ tree: made.tree, parents: [], author: person, committer: person, message }),
  );
  await git.push(context, {
    repositoryId,
    updates: [{ ref: 'refs/heads/main', to: commit.oid }],
    objects: [blob, ...made.objects, commit],
  });
  await context.transaction(async db => {
    await sql`create table plain_file (repository_id bigint, branch text, path text, content bytea, primary key (repository_id, branch, path))`.execute(
      db,
    );
    await sql`insert into plain_file values (${repositoryId}, 'main', ${path}, ${content})`.execute(db);
  });
  // Too small to cache anything.
  const nothing = new git.MemoryObjectCache(32);
  const contenders: Record<string, () => Promise<Buffer>> = {
    portico: () => fromStore(git, git.openRepository(git.unlimitedSource(context.read), repositoryId)),
    'one statement': async () => {
      const [row] = await context.read<{ content: Buffer }>(
        sql`select content from plain_file where repository_id = ${repositoryId} and branch = 'main' and path = ${path}`,
      );
      return row?.content ?? Buffer.alloc(0);
    },
    // Without a bar: a process that has just started.
    'portico, nothing cached': () => {
      const cache = new git.TransactionObjectCache(nothing, repositoryId);
      return fromStore(git, { ...context, id: repositoryId, cache });
    },
  };
  const measured: Record<string, number[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [label, ask] of Object.entries(contenders)) {
      const times = label === 'portico, nothing cached' ? readsUncached : reads;
      assert.ok((await ask()).equals(content));
      const before = process.cpuUsage();
      for (let at = 0; at < times; at++) await ask();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) measured[label] = [...(measured[label] ?? []), (user + system) / times];
    }
  }
  return measured;
}

async function fromStore(git: BuiltGit, repository: Repository): Promise<Buffer> {
  const head = await git.readRef(repository, 'refs/heads/main');
  const { tree } = await git.readCommit(repository, head ?? '');
  const entry = await git.findEntry(repository, tree, git.pathParts(path));
  return (await git.readObject(repository, entry?.oid ?? '')).content;
}
