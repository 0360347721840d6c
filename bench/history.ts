import { rmSync } from 'node:fs';
import type { CommitNode } from '../src/git/commit-node.ts';
import type { Repository } from '../src/git/repository.ts';
import { type BuiltGit, emptyRepository, type GitContext, median, systemGit, withGitDatabase } from './git-world.ts';

const commits = 10_000;
/** Without the index a round takes seconds. */
const rounds = { 'not indexed': 1, indexed: 5 };
const bar = 200;

/** What is measured: a file that changed 50 times, one that changed seldom, a path that never existed, and a busy directory. */
const paths = ['README.md', 'src/core/a/file-7.ts', 'no/such/file', 'src'];

/**
 * The history of a path in 10,000 commits with merges, complete and its newest commit, from an empty cache and a full
 * one: without the index of commits, with it, and by `git log -- <path>` of the system's git, without and with its own
 * changed-path filters.
 */
export const history = {
  name: 'history',
  about: `the history of a path in ${commits} commits`,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const folder = emptyRepository();
    try {
      systemGit(folder, ['fast-import', '--quiet', '--done'], commitStream());
      return await withGitDatabase(url, (git, context) => measureAll(git, context, folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureAll(
  git: BuiltGit,
  context: GitContext,
  folder: string,
): Promise<{ text: string; missed: string[] }> {
  const repositoryId = 1;
  await git.importRepository(context, { repositoryId, path: folder });
  const tip = systemGit(folder, ['rev-parse', 'refs/heads/main']);
  const lines: string[] = [];
  const missed: string[] = [];
  const measurePaths = async (index: keyof typeof rounds): Promise<void> => {
    for (const path of paths) {
      const parts = path.split('/');
      const cold: Sample[] = [];
      const first: Sample[] = [];
      const warm: Sample[] = [];
      for (let round = 0; round < rounds[index]; round++) {
        const counted = emptyCache(git, context, repositoryId);
        cold.push(await sample(counted, () => count(git.pathHistory(counted.repository, tip, parts))));
        warm.push(await sample(counted, () => count(git.pathHistory(counted.repository, tip, parts))));
        const other = emptyCache(git, context, repositoryId);
        first.push(await sample(other, () => git.findLastCommit(other.repository, tip, parts)));
      }
      lines.push(row(`${path}, ${index}, cold`, cold), row(`${path}, ${index}, warm`, warm));
      lines.push(row(`${path}, ${index}, newest commit, cold`, first));
      const ms = median(cold.map(one => one.ms));
      if (index === 'indexed' && path !== 'src' && ms > bar) {
        missed.push(
          `${history.name}: ${path} cold takes ${ms.toFixed(0)} ms; the bar is ≤ ${bar} ms on a machine of its own`,
        );
      }
    }
    const walks: Sample[] = [];
    for (let round = 0; round < rounds[index]; round++) {
      const counted = emptyCache(git, context, repositoryId);
      walks.push(await sample(counted, () => count(git.walkHistory(counted.repository, [tip]))));
    }
    lines.push(row(`all commits, ${index}, cold`, walks));
  };
  await measurePaths('not indexed');
  const counted = emptyCache(git, context, repositoryId);
  const indexing = await sample(counted, async () => {
    while ((await git.indexCommits(context, repositoryId)) > 0);
  });
  lines.push(row('indexing', [indexing]));
  await measurePaths('indexed');
  measureSystemGit(folder, 'git log', lines);
  systemGit(folder, ['commit-graph', 'write', '--reachable', '--changed-paths']);
  measureSystemGit(folder, 'git log with its filters', lines);
  return { text: [`\n${history.name}: ${history.about}\n`, ...lines].join('\n'), missed };
}

interface Counted {
  repository: Repository;
  statements: number;
}

interface Sample {
  ms: number;
  cpuMs: number;
  statements: number;
}

/** The repository of a process that has just started. */
function emptyCache(git: BuiltGit, context: GitContext, id: number): Counted {
  const counted: Counted = {
    statements: 0,
    repository: {
      id,
      workBudget: context.workBudget,
      cache: new git.MemoryObjectCache(),
      read: query => {
        counted.statements++;
        return context.read(query);
      },
    },
  };
  return counted;
}

async function sample(counted: Counted, work: () => Promise<unknown>): Promise<Sample> {
  const [started, cpu, statements] = [performance.now(), process.cpuUsage(), counted.statements];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    ms: performance.now() - started,
    cpuMs: (user + system) / 1000,
    statements: counted.statements - statements,
  };
}

async function count(walk: AsyncIterable<CommitNode>): Promise<number> {
  let found = 0;
  for await (const _ of walk) found++;
  return found;
}

function row(label: string, samples: readonly Sample[]): string {
  const of = (figure: keyof Sample): string =>
    median(samples.map(one => one[figure]))
      .toFixed(0)
      .padStart(6);
  return `  ${label.padEnd(52)} ${of('ms')} ms ${of('cpuMs')} ms CPU ${of('statements')} statements`;
}

function measureSystemGit(folder: string, label: string, lines: string[]): void {
  for (const path of paths) {
    const times = Array.from({ length: rounds.indexed }, () => {
      const started = performance.now();
      systemGit(folder, ['log', '--format=%H', 'refs/heads/main', '--', path]);
      return performance.now() - started;
    });
    lines.push(`  ${`${path}, ${label}`.padEnd(52)} ${median(times).toFixed(0).padStart(6)} ms`);
  }
}

/** Deterministic commits of two files each, in folders of up to forty; every tenth merges a branch of one commit. */
function commitStream(): string {
  let state = 7;
  const pick = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const stream: string[] = [];
  for (let at = 1; at <= commits; at++) {
    stream.push(`commit refs/heads/main\nmark :${at}\ncommitter C <c@example.org> ${1_500_000_000 + at * 600} +0000`);
    stream.push('data 6\ncommit');
    if (at % 10 === 9) stream.push(`from :${at - 4}`);
    else if (at % 10 === 0) stream.push(`from :${at - 2}`, `merge :${at - 1}`);
    else if (at > 1) stream.push(`from :${at - 1}`);
    for (let file = 0; file < 2; file++) {
      const parts = [['src', 'lib', 'docs', 'test', 'scripts'][pick(5)]];
      if (pick(3) > 0) parts.push(['core', 'http', 'db', 'ui', 'auth', 'x'][pick(6)]);
      if (pick(3) > 0) parts.push('abcd'[pick(4)]);
      const text = `line ${at} ${file}\n`.repeat(3 + pick(10));
      stream.push(`M 100644 inline ${parts.join('/')}/file-${pick(40)}.ts\ndata ${text.length}\n${text}`);
    }
    if (at % 200 === 1) stream.push(`M 100644 inline README.md\ndata ${`${at}`.length}\n${at}`);
    stream.push('');
  }
  stream.push('done\n');
  return stream.join('\n');
}
