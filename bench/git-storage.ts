import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { history } from './git-import.ts';
import { emptyRepository, type GitContext, systemGit, withGitDatabase } from './git-world.ts';

const fileBytes = 5 * 1024 * 1024;
const edits = 100;
const repositoryId = 1;

/**
 * Storage of a text file of 5 MB with 100 edits of one line, one commit each, and for information of a repository of small files:
 * the tables with their indexes before and after the repack, and the pack of git. `vacuum full` comes before each measurement,
 * because the space of replaced rows is reused and not given back.
 */
export const gitStorage = {
  name: 'git-storage',
  about: 'bytes of a text file of 5 MB with 100 edits, and of 28,000 small objects',
  /** Times the pack of git, for the text file. */
  bar: 2,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const file = await measureHistory(url, editedFile());
    const small = await measureHistory(url, history());
    const reached = file.after / file.packed <= gitStorage.bar;
    const verdict = `the bar is ≤ ${gitStorage.bar}: ${reached ? 'reached' : 'MISSED'}`;
    const line = `portico / git, a text file of 5 MB with 100 edits: ${(file.after / file.packed).toFixed(2)}; ${verdict}`;
    return {
      text: [
        `\n${gitStorage.name}: ${gitStorage.about}\n`,
        describe('5 MB, 100 edits', file),
        describe('small objects', small),
        `  ${line}`,
      ].join('\n'),
      missed: reached ? [] : [`${gitStorage.name}: ${line}`],
    };
  },
};

interface Measured {
  /** Bytes. */
  before: number;
  after: number;
  packed: number;
  /** Duration of the repack. */
  seconds: number;
}

function describe(label: string, { before, after, packed, seconds }: Measured): string {
  const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  const parts = [
    megabytes(before),
    `repacked in ${seconds.toFixed(1)} s to ${megabytes(after)}`,
    `git ${megabytes(packed)}`,
  ];
  return `  ${label.padEnd(16)} ${parts.join(', ')}`;
}

async function measureHistory(url: string, stream: string): Promise<Measured> {
  const folder = emptyRepository();
  const scratch = mkdtempSync(join(tmpdir(), 'portico-bench-repack-'));
  try {
    systemGit(folder, ['fast-import', '--quiet', '--done', '--depth=0'], stream);
    const measured = await withGitDatabase(url, async (git, context) => {
      const empty = await tableBytes(context);
      await git.importRepository(context, { repositoryId, path: folder });
      const before = (await tableBytes(context)) - empty;
      const started = performance.now();
      await repack(context, scratch);
      const seconds = (performance.now() - started) / 1000;
      return { before, after: (await tableBytes(context)) - empty, seconds };
    });
    // As `git gc` packs loose objects, with the least bytes: more threads store the file as a whole for each of them.
    systemGit(folder, ['-c', 'pack.threads=1', 'repack', '-a', '-d', '-f', '-q', '--window=10', '--depth=50']);
    const packed = Number(/size-pack: (\d+)/.exec(systemGit(folder, ['count-objects', '-v']))?.[1]) * 1024;
    return { ...measured, packed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function tableBytes({ database, read }: GitContext): Promise<number> {
  await sql`vacuum full git_object, git_chunk`.execute(database.sql);
  const sizes: RawBuilder<{ bytes: number }> = sql`
    select pg_total_relation_size('git_object') + pg_total_relation_size('git_chunk') as bytes`;
  return (await read(sizes))[0]?.bytes ?? Number.NaN;
}

async function repack({ database, now }: GitContext, scratch: string): Promise<void> {
  const { repack: repackNow } = (await import(
    '../dist/src/hosting/repositories/maintain-repository.js' as string
  )) as typeof import('../src/hosting/repositories/maintain-repository.ts');
  const context = { database, config: { PORTICO_DATA: scratch }, now, signal: new AbortController().signal };
  const done = await repackNow(context, repositoryId, { coldBefore: new Date(now().getTime() + 1000) });
  if (!done || done.deltas === 0) throw new Error('Nothing was stored as a delta.');
}

/** Commits of a file with lines of words, which compress like text. Each replaces one line. */
function editedFile(): string {
  let state = 7;
  const pick = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const word = (): string => Array.from({ length: 3 + pick(8) }, () => 'abcdefghijklmnopqrstuvwxyz'[pick(26)]).join('');
  const words = Array.from({ length: 4_000 }, word);
  const line = (): string => Array.from({ length: 6 + pick(8) }, () => words[pick(words.length)]).join(' ');
  const lines: string[] = [];
  for (let bytes = 0; bytes < fileBytes; bytes += (lines.at(-1)?.length ?? 0) + 1) lines.push(line());
  const stream: string[] = [];
  for (let at = 0; at <= edits; at++) {
    if (at > 0) lines[pick(lines.length)] = line();
    const text = `${lines.join('\n')}\n`;
    stream.push(
      `commit refs/heads/main\ncommitter C <c@example.org> ${1_600_000_000 + at * 100} +0000\ndata 5\nhello\n` +
        `M 100644 inline text.txt\ndata ${text.length}\n${text}\n`,
    );
  }
  return `${stream.join('')}done\n`;
}
