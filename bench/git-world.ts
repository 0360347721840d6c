import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Database } from '../src/db/database.ts';
import type { RepositorySource } from '../src/git/repository.ts';

/** The compiled store, typed by its sources, so that the code of `npm start` is measured. */
export async function builtGit() {
  await import('reflect-metadata');
  const [
    database,
    migrate,
    apply,
    commit,
    object,
    cache,
    refs,
    repository,
    reads,
    tree,
    path,
    push,
    imports,
    walks,
    paths,
    index,
    tar,
    zip,
  ] = await Promise.all([
    import('../dist/src/db/database.js' as string) as Promise<typeof import('../src/db/database.ts')>,
    import('../dist/src/db/migrate.js' as string) as Promise<typeof import('../src/db/migrate.ts')>,
    import('../dist/src/git/apply-changes.js' as string) as Promise<typeof import('../src/git/apply-changes.ts')>,
    import('../dist/src/git/commit.js' as string) as Promise<typeof import('../src/git/commit.ts')>,
    import('../dist/src/git/object.js' as string) as Promise<typeof import('../src/git/object.ts')>,
    import('../dist/src/git/object-cache.js' as string) as Promise<typeof import('../src/git/object-cache.ts')>,
    import('../dist/src/git/refs.js' as string) as Promise<typeof import('../src/git/refs.ts')>,
    import('../dist/src/git/repository.js' as string) as Promise<typeof import('../src/git/repository.ts')>,
    import('../dist/src/git/read-objects.js' as string) as Promise<typeof import('../src/git/read-objects.ts')>,
    import('../dist/src/git/tree.js' as string) as Promise<typeof import('../src/git/tree.ts')>,
    import('../dist/src/git/tree-path.js' as string) as Promise<typeof import('../src/git/tree-path.ts')>,
    import('../dist/src/hosting/pushes/push.js' as string) as Promise<typeof import('../src/hosting/pushes/push.ts')>,
    import('../dist/src/hosting/pushes/import-repository.js' as string) as Promise<
      typeof import('../src/hosting/pushes/import-repository.ts')
    >,
    import('../dist/src/git/history.js' as string) as Promise<typeof import('../src/git/history.ts')>,
    import('../dist/src/git/path-history.js' as string) as Promise<typeof import('../src/git/path-history.ts')>,
    import('../dist/src/git/index-commits.js' as string) as Promise<typeof import('../src/git/index-commits.ts')>,
    import('../dist/src/git/archives/tar.js' as string) as Promise<typeof import('../src/git/archives/tar.ts')>,
    import('../dist/src/git/archives/zip.js' as string) as Promise<typeof import('../src/git/archives/zip.ts')>,
  ]);
  return {
    ...database,
    ...migrate,
    ...apply,
    ...commit,
    ...object,
    ...cache,
    ...refs,
    ...repository,
    ...reads,
    ...tree,
    ...path,
    ...push,
    ...imports,
    ...walks,
    ...paths,
    ...index,
    ...tar,
    ...zip,
  };
}

export type BuiltGit = Awaited<ReturnType<typeof builtGit>>;

/** The part of the context that git write functions use. */
export interface GitContext {
  database: Database;
  read: Database['read'];
  workBudget: RepositorySource['workBudget'];
  transaction: <T>(work: Parameters<typeof import('../src/db/database.ts').inTransaction<T>>[1]) => Promise<T>;
  now(): Date;
}

/** Runs `work` with a separate migrated database in the server at `url`. */
export async function withGitDatabase<T>(
  url: string,
  work: (git: BuiltGit, context: GitContext) => Promise<T>,
): Promise<T> {
  const git = await builtGit();
  const name = 'bench_git';
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.query(`create database ${name}`);
  const database = await git.openDatabase({
    url: url.replace(/[^/]*$/, name),
    poolSize: 20,
    statementTimeoutMs: 30_000,
  });
  try {
    await git.migrate(database);
    await insertRepositories(url.replace(/[^/]*$/, name));
    const context: GitContext = {
      database,
      ...git.unlimitedSource(database.read),
      transaction: inside => git.inTransaction(database, inside),
      now: () => new Date(),
    };
    return await work(git, context);
  } finally {
    await database.close();
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
  }
}

/** Inserts repositories for any id that a benchmark uses. */
async function insertRepositories(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`
    with owner as (insert into account (kind, login, created_at, updated_at)
      values ('organization', 'bench', now(), now()) returning id)
    insert into repository (id, owner_id, name, created_at, updated_at)
    select n, owner.id, 'repository-' || n, now(), now() from owner, generate_series(1, 100) as n`);
  await client.end();
}

/** Runs the system's git in `folder` with fsync, as PostgreSQL does. */
export function systemGit(folder: string, args: string[], input?: string): string {
  const settings = ['-c', 'core.fsync=all', '-c', 'core.fsyncMethod=fsync', '-c', 'gc.auto=0'];
  return execFileSync('git', [...settings, ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(input === undefined ? {} : { input }),
  })
    .toString()
    .trim();
}

/** Creates an empty bare repository for the system's git. */
export function emptyRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-git-'));
  systemGit(folder, ['init', '-q', '--bare', '-b', 'main']);
  return folder;
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export const person = { name: 'A U Thor', email: 'author@example.org', seconds: 1_700_000_000, zone: '+0100' };
