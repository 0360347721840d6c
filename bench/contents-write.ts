import { rmSync } from 'node:fs';
import pg from 'pg';
import { builtGit, emptyRepository, median, person } from './git-world.ts';
import { bySystemGit, gitCommits, rate, seedSystemGit, timed } from './git-write.ts';
import { loadBuild } from './load-build.ts';
import type { Pinning } from './pinning.ts';
import { startServer } from './server.ts';

const rounds = 3;
const writers = 16;
const each = 20;

/** PUT of small files through the API with 16 writers, compared with the system's git with fsync. */
export const contentsWrite = {
  name: 'contents-write',
  about: `PUT /repos/…/contents/…, ${writers} writers, files per second`,
  /** Multiple of git's rate. */
  bar: 5,
  async measure(url: string, pinning: Pinning | undefined): Promise<{ text: string; missed: string[] }> {
    const { token, login } = await prepare(url);
    const server = await startServer('gateway', url, pinning);
    const folder = emptyRepository();
    const measured: Record<'git' | 'branches' | 'branch', number[]> = { git: [], branches: [], branch: [] };
    try {
      seedSystemGit(folder);
      const put = (round: number, branchOf: (writer: number) => number): Promise<number> =>
        write(`${server.address}/repos/${login}/project-${round}/contents`, token, branchOf);
      for (let round = 0; round <= rounds; round++) {
        const rates = {
          git: rate(gitCommits, await timed(async () => bySystemGit(folder, round))),
          branches: await put(round, writer => writer),
          branch: await put(round, () => 0),
        };
        // The first is the warm-up.
        if (round > 0) for (const key of ['git', 'branches', 'branch'] as const) measured[key].push(rates[key]);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await server.stop();
    }
    const ratio = median(measured.branch.map((one, at) => one / (measured.git[at] ?? Number.NaN)));
    const reached = ratio >= contentsWrite.bar;
    const line = `the API on one branch / git: ${ratio.toFixed(1)}; the bar is ≥ ${contentsWrite.bar}: ${reached ? 'reached' : 'MISSED'}`;
    const row = (label: string, key: keyof typeof measured): string =>
      `  ${label.padEnd(34)} ${median(measured[key]).toFixed(1).padStart(7)} files/s`;
    return {
      text: [
        `\n${contentsWrite.name}: ${contentsWrite.about}\n`,
        row('git plumbing, fsync, one writer', 'git'),
        row(`the API, ${writers} branches`, 'branches'),
        row('the API, one branch', 'branch'),
        `  ${line}`,
      ].join('\n'),
      missed: reached ? [] : [`${contentsWrite.name}: ${line}`],
    };
  },
};

/** Files per second. Throws for an error response. */
async function write(address: string, token: string, branchOf: (writer: number) => number): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'bench', 'content-type': 'application/json' };
  const mark = Math.random().toString(36).slice(2);
  const spent = await timed(async () => {
    const writer = async (name: number): Promise<void> => {
      for (let at = 0; at < each; at++) {
        const content = Buffer.from(`content ${mark} ${name} ${at}\n`).toString('base64');
        const body = JSON.stringify({ message: 'Commit', content, branch: `branch-${branchOf(name)}` });
        const path = `src/part-${name % 10}/${mark}-${name}-${at}.ts`;
        const answer = await fetch(`${address}/${path}`, { method: 'PUT', headers, body });
        const text = await answer.text();
        if (answer.status !== 201) throw new Error(`A file was not written: ${answer.status} ${text}`);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, name) => writer(name)));
  });
  return rate(writers * each, spent);
}

/** Inserts a user with a token, and a repository per round whose branches point at one commit. */
async function prepare(url: string): Promise<{ token: string; login: string }> {
  const [around, git] = [await loadBuild(), await builtGit()];
  const database = await around.openDatabase({ url, poolSize: 2, statementTimeoutMs: 30_000 });
  const client = new pg.Client(url);
  await client.connect();
  try {
    const login = `bench-writer-${Date.now()}`;
    const now = new Date();
    const accountId = await around.createUser(database.sql, { login }, now);
    const { token } = await around.insertCredential(
      database.sql,
      { kind: 'classic', accountId, scopes: ['repo'] },
      now,
    );
    const { rows } = await client.query<{ id: string }>(
      `insert into repository (owner_id, name, created_at, updated_at)
       select $1, 'project-' || n, now(), now() from generate_series(0, $2::int) n returning id`,
      [accountId, rounds],
    );
    const context = {
      ...git.unlimitedSource(database.read),
      transaction: <T>(work: Parameters<typeof git.inTransaction<T>>[1]) => git.inTransaction(database, work),
      now: () => now,
    };
    const blob = git.createObject('blob', Buffer.from('content\n'));
    for (const { id } of rows) {
      const repository = git.openRepository(git.unlimitedSource(database.read), Number(id));
      const changes = Array.from({ length: 200 }, (_, at) => ({
        path: `src/part-${at % 10}/file-${at}.ts`,
        entry: { mode: git.modes.file, oid: blob.oid },
      }));
      const made = await git.applyChanges(repository, undefined, changes);
      const people = { author: person, committer: person };
      const content = git.encodeCommit({ tree: made.tree, parents: [], ...people, message: 'First' });
      const commit = git.createObject('commit', content);
      const updates = Array.from({ length: writers }, (_, at) => ({
        ref: `refs/heads/branch-${at}`,
        to: commit.oid,
      }));
      await git.push(context, { repositoryId: Number(id), updates, objects: [blob, ...made.objects, commit] });
    }
    return { token, login };
  } finally {
    await client.end();
    await database.close();
  }
}
