import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type BuiltGit,
  emptyRepository,
  type GitContext,
  median,
  person,
  systemGit,
  withGitDatabase,
} from './git-world.ts';

const rounds = 3;
const commits = { git: 12, portico: 320 };
/** Commits of the system's git per round. */
export const gitCommits = commits.git;
const writers = 16;
/** Existing folders and files: a tree of usual size is read and written, not an empty one. */
const files = Array.from({ length: 200 }, (_, at) => `src/part-${at % 10}/file-${at}.ts`);

/**
 * Commits of one file each, by `src/hosting/pushes` and by the six plumbing commands of the system's git with fsync, in turns
 * and in this process. PostgreSQL waits for the disk, too.
 */
export const gitWrite = {
  name: 'git-write',
  about: 'commits of one file into a tree of 200, per second',
  bars: { serial: 5, together: 300 },
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const measured: Record<'git' | 'serial' | 'branches' | 'branch', number[]> = {
      git: [],
      serial: [],
      branches: [],
      branch: [],
    };
    await withGitDatabase(url, async (git, context) => {
      const folder = emptyRepository();
      try {
        seedSystemGit(folder);
        for (let round = 0; round <= rounds; round++) {
          const rates = {
            git: rate(commits.git, await timed(async () => bySystemGit(folder, round))),
            serial: await byPortico(git, context, { round: round * 10, writers: 1, branches: 1 }),
            branches: await byPortico(git, context, { round: round * 10 + 1, writers, branches: writers }),
            branch: await byPortico(git, context, { round: round * 10 + 2, writers, branches: 1 }),
          };
          // The first is the warm-up.
          if (round > 0) for (const key of Object.keys(rates) as (keyof typeof rates)[]) measured[key].push(rates[key]);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
    const ratio = median(measured.serial.map((one, at) => one / (measured.git[at] ?? Number.NaN)));
    const together = median(measured.branches);
    const verdict = (reached: boolean): string => (reached ? 'reached' : 'MISSED');
    const lines = [
      `portico / git, one writer: ${ratio.toFixed(1)}; the bar is ≥ ${gitWrite.bars.serial}: ${verdict(ratio >= gitWrite.bars.serial)}`,
      `portico, ${writers} writers: ${together.toFixed(0)}/s; the bar is ≥ ${gitWrite.bars.together}/s on a machine of its own: ${verdict(together >= gitWrite.bars.together)}`,
    ];
    const row = (label: string, key: keyof typeof measured): string =>
      `  ${label.padEnd(34)} ${median(measured[key]).toFixed(1).padStart(7)} commits/s`;
    return {
      text: [
        `\n${gitWrite.name}: ${gitWrite.about}\n`,
        row('git plumbing, fsync, one writer', 'git'),
        row('portico, one writer', 'serial'),
        row(`portico, ${writers} writers, ${writers} branches`, 'branches'),
        row(`portico, ${writers} writers, one branch`, 'branch'),
        ...lines.map(line => `  ${line}`),
      ].join('\n'),
      missed: lines.filter(line => line.endsWith('MISSED')).map(line => `${gitWrite.name}: ${line}`),
    };
  },
};

export async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export function rate(count: number, milliseconds: number): number {
  return (count / milliseconds) * 1000;
}

export function seedSystemGit(folder: string): void {
  const oid = systemGit(folder, ['hash-object', '-w', '--stdin'], 'content\n');
  systemGit(folder, ['update-index', '--add', '--index-info'], files.map(path => `100644 ${oid}\t${path}\n`).join(''));
  const tree = systemGit(folder, ['write-tree']);
  systemGit(folder, ['update-ref', 'refs/heads/main', systemGit(folder, [...who, 'commit-tree', tree, '-m', 'First'])]);
}

const who = ['-c', 'user.name=A U Thor', '-c', 'user.email=author@example.org'];

/** The commands of a server that calls git for each step of a commit. */
export async function bySystemGit(folder: string, round: number): Promise<void> {
  for (let at = 0; at < commits.git; at++) {
    const head = systemGit(folder, ['rev-parse', 'refs/heads/main']);
    systemGit(folder, ['read-tree', head]);
    const oid = systemGit(folder, ['hash-object', '-w', '--stdin'], `content ${round} ${at}\n`);
    systemGit(folder, ['update-index', '--add', '--cacheinfo', `100644,${oid},${files[at % files.length]}`]);
    const tree = systemGit(folder, ['write-tree']);
    const commit = systemGit(folder, [...who, 'commit-tree', tree, '-p', head, '-m', `Commit ${at}`]);
    systemGit(folder, ['update-ref', 'refs/heads/main', commit, head]);
  }
}

async function byPortico(
  git: BuiltGit,
  context: GitContext,
  { round, writers: many, branches }: { round: number; writers: number; branches: number },
): Promise<number> {
  const repositoryId = round + 1;
  const commit = (ref: string, changed: [path: string, text: string][]) =>
    git.push(context, {
      repositoryId,
      updates: [
        {
          ref,
          to: async (head, repository) => {
            const blobs = changed.map(([, text]) => git.createObject('blob', Buffer.from(text)));
            const base = head === undefined ? undefined : (await git.readCommit(repository, head)).tree;
            const changes = changed.map(([path], at) => ({
              path,
              entry: { mode: git.modes.file, oid: blobs[at]?.oid ?? '' },
            }));
            const made = await git.applyChanges(repository, base, changes);
            const parents = head === undefined ? [] : [head];
            const content = git.encodeCommit({
              tree: made.tree,
              parents,
              author: person,
              committer: person,
              message: 'Commit',
            });
            const object = git.createObject('commit', content);
            return { to: object.oid, objects: [...blobs, ...made.objects, object] };
          },
        },
      ],
    });
  const refs = Array.from({ length: branches }, (_, at) => `refs/heads/branch-${at}`);
  for (const ref of refs)
    await commit(
      ref,
      files.map(path => [path, 'content\n']),
    );
  const each = Math.ceil(commits.portico / many);
  const spent = await timed(async () => {
    await Promise.all(
      Array.from({ length: many }, async (_, writer) => {
        for (let at = 0; at < each; at++) {
          const ref = refs[writer % refs.length] ?? '';
          const path = join('src', `part-${writer % 10}`, `file-${writer}.ts`);
          const result = await commit(ref, [[path, `content ${round} ${writer} ${at}\n`]]);
          if (result.kind !== 'pushed') throw new Error(`A commit was not pushed: ${JSON.stringify(result)}`);
        }
      }),
    );
  });
  return rate(each * many, spent);
}
