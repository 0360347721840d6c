import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { serveGit } from '../test/harness/git-http-backend.ts';
import { history } from './git-import.ts';
import { emptyRepository, type GitContext, systemGit, withGitDatabase } from './git-world.ts';

/** Duration, and maximum memory of this process beyond the initial one. */
interface Run {
  seconds: number;
  /** Of this process, of them. */
  cpu: number;
  /** Until the fetch was done and looked through. */
  fetched: number;
  megabytes: number;
}

/**
 * A complete source import: a repository of about 28,000 objects, served over HTTP by `git http-backend` on this machine,
 * fetched, scanned, stored and pushed by the workers; then again with a renamed author, which rewrites all commits. The HTTP
 * server, PostgreSQL and git share the cores with it.
 */
export const sourceImport = {
  name: 'source-import',
  about: 'source import of a repository of 28,000 objects over HTTP, from start to complete',
  /** Seconds. */
  bar: 15,
  async measure(url: string): Promise<{ text: string; missed: string[] }> {
    const folder = emptyRepository();
    const data = mkdtempSync(join(tmpdir(), 'portico-bench-imports-'));
    systemGit(folder, ['fast-import', '--quiet', '--done'], history());
    const objects = Number(/in-pack: (\d+)/.exec(systemGit(folder, ['count-objects', '-v']))?.[1]);
    const server = await serveGit({ repositories: { source: folder } });
    try {
      const { first, second } = await withGitDatabase(url, (_git, context) =>
        runs(context, { data, source: `${server.url}/source`, url: url.replace(/[^/]*$/, 'bench_git') }),
      );
      const reached = first.seconds <= sourceImport.bar;
      const line = `${objects} objects in ${first.seconds.toFixed(1)} s (${first.fetched.toFixed(1)} s of them until they were fetched; ${first.cpu.toFixed(1)} s CPU of this process), ${first.megabytes.toFixed(0)} MB more memory; the bar is ≤ ${sourceImport.bar} s on 2 cores: ${reached ? 'reached' : 'MISSED'}`;
      return {
        text: `\n${sourceImport.name}: ${sourceImport.about}\n\n  ${line}\n  one author renamed, all commits rewritten: ${second.seconds.toFixed(1)} s, ${second.megabytes.toFixed(0)} MB\n  5,000 commits rewritten in memory: ${(await rewriting()).toFixed(0)} ms`,
        missed: reached ? [] : [`${sourceImport.name}: ${line}`],
      };
    } finally {
      await server.close();
      for (const path of [folder, data]) rmSync(path, { recursive: true, force: true });
    }
  },
};

/** Milliseconds to rewrite a sequence of commits when the author of the first one is renamed. */
async function rewriting(): Promise<number> {
  const [{ IdentityRewriter }, { createObject }] = await Promise.all([
    import('../dist/src/git/rewrite-identities.js' as string) as Promise<
      typeof import('../src/git/rewrite-identities.ts')
    >,
    import('../dist/src/git/object.js' as string) as Promise<typeof import('../src/git/object.ts')>,
  ]);
  const commits: ReturnType<typeof createObject>[] = [];
  for (let at = 0; at < 5_000; at++) {
    const parent = at === 0 ? '' : `parent ${commits[at - 1]?.oid}\n`;
    const person = `Person ${at} <person-${at}@example.org> ${1_700_000_000 + at} +0000`;
    const text = `tree ${'4b825dc642cb6eb9a060e54bf8d69288fbee4904'}\n${parent}author ${person}\ncommitter ${person}\n\nCommit ${at}\n`;
    commits.push(createObject('commit', Buffer.from(text)));
  }
  const rewriter = new IdentityRewriter(
    new Map([['Person 0 <person-0@example.org>', { name: 'One', email: 'one@x' }]]),
  );
  const began = performance.now();
  for (const commit of commits) rewriter.rewrite(commit);
  return performance.now() - began;
}

async function runs(
  context: GitContext,
  { data, source, url }: { data: string; source: string; url: string },
): Promise<{ first: Run; second: Run }> {
  const [{ deriveKeys }, { readConfig }, { createJobRunner }, { enqueue }, { importJob }] = await Promise.all([
    import('../dist/src/auth/derived-keys.js' as string) as Promise<typeof import('../src/auth/derived-keys.ts')>,
    import('../dist/src/config/config.js' as string) as Promise<typeof import('../src/config/config.ts')>,
    import('../dist/src/server/job-runner.js' as string) as Promise<typeof import('../src/server/job-runner.ts')>,
    import('../dist/src/jobs/enqueue.js' as string) as Promise<typeof import('../src/jobs/enqueue.ts')>,
    import('../dist/src/hosting/source-imports/import-state.js' as string) as Promise<
      typeof import('../src/hosting/source-imports/import-state.ts')
    >,
  ]);
  const config = readConfig({
    PORTICO_DATA: data,
    DATABASE_URL: url,
    SOURCE_IMPORTS: 'on',
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    SECRET_KEY: 'only for this benchmark, and for nothing else',
  });
  const logger = { info() {}, warn() {}, error: console.error };
  const { database, now: clock } = context;
  const workers = createJobRunner({ config, database, keys: deriveKeys(config), clock, url, logger, pollSeconds: 0.1 });
  await workers.prepare();
  await workers.start();
  try {
    const at = clock().toISOString();
    const importId = await context.transaction(async db => {
      const { rows } = await sql<{ id: number }>`insert into source_import
        (repository_id, vcs, vcs_url, status, may_change_workflows, created_at, updated_at)
        values (1, 'git', ${source}, 'importing', true, ${at}, ${at}) returning id`.execute(db);
      return Number(rows[0]?.id);
    });
    const work = (): Promise<void> => context.transaction(db => enqueue(db, importJob, { importId, generation: 1 }));
    const first = await timed(context, work);
    await context.transaction(async db => {
      await sql`update source_import_author set name = 'Somebody Else'`.execute(db);
      await sql`update source_import set status = 'mapping', authors_revision = 1`.execute(db);
    });
    return { first, second: await timed(context, work) };
  } finally {
    await workers.stop();
  }
}

async function timed({ read }: GitContext, start: () => Promise<void>): Promise<Run> {
  const before = process.memoryUsage.rss();
  let most = before;
  let fetched = 0;
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await start();
  for (;;) {
    await delay(50);
    most = Math.max(most, process.memoryUsage.rss());
    const [row] = await read(
      sql<{ status: string; message: string | null }>`select status, error_message as message from source_import`,
    );
    if (row?.message) throw new Error(row.message);
    const seconds = (performance.now() - began) / 1000;
    if (row?.status === 'importing') fetched = seconds;
    if (row?.status !== 'complete') continue;
    const { user, system } = process.cpuUsage(cpuBefore);
    return { seconds, fetched, cpu: (user + system) / 1e6, megabytes: (most - before) / 1e6 };
  }
}
