import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { type Database, inTransaction, openDatabase } from '../../src/db/database.ts';
import type { GitObject } from '../../src/git/object.ts';
import type { Person } from '../../src/git/person.ts';
import { openRepository, type Repository, unlimitedSource } from '../../src/git/repository.ts';
import { writeObjects } from '../../src/git/write-objects.ts';
import type { WorkBudget } from '../../src/workers/work-budget.ts';
import { testDatabase } from '../harness/gateway.ts';
import { insertRepositories } from './repository-rows.ts';

/** The part of a context that the git write functions use. */
export interface GitWorld {
  database: Database;
  context: {
    read: Database['read'];
    workBudget: WorkBudget;
    transaction: <T>(work: Parameters<typeof inTransaction<T>>[1]) => Promise<T>;
    now: () => Date;
  };
  /** A new empty repository. */
  repository(): Repository;
  /** Stores objects without a push. */
  store(repository: Repository, objects: Iterable<GitObject>): Promise<unknown>;
}

const now = new Date('2026-11-01T12:00:00Z');

/** A database for the test file, and repositories in it. */
export async function gitWorld({ poolSize = 5 }: { poolSize?: number } = {}): Promise<GitWorld> {
  const closing: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
  const database = await openDatabase({ url: await testDatabase('empty'), poolSize, statementTimeoutMs: 30_000 });
  closing.push(() => database.close());
  // More repositories than any test file uses.
  await insertRepositories(database.sql, 2000);
  let last = 0;
  return {
    database,
    context: { ...unlimitedSource(database.read), transaction: work => inTransaction(database, work), now: () => now },
    repository: () => openRepository(unlimitedSource(database.read), ++last),
    store: (repository, objects) =>
      inTransaction(database, db => writeObjects({ db, repositoryId: repository.id, now }, objects)),
  };
}

/** The same repository without cached objects, so that reads come from the database. */
export function cold(world: GitWorld, repository: Repository): Repository {
  const read: Repository['read'] = query => world.database.read(query);
  return openRepository(unlimitedSource(read), repository.id);
}

const environment = {
  // biome-ignore lint/style/noProcessEnv: where git is found.
  PATH: process.env.PATH,
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A U Thor',
  GIT_AUTHOR_EMAIL: 'author@example.org',
  GIT_COMMITTER_NAME: 'C O Mitter',
  GIT_COMMITTER_EMAIL: 'committer@example.org',
};

const folders: string[] = [];
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** A temporary directory, deleted after the test file. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'portico-git-'));
  folders.push(path);
  return path;
}

/** A repository of the system's git, as the oracle. */
export class SystemGit {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static create(...args: string[]): SystemGit {
    const git = new SystemGit(folder());
    git.run('init', '-q', '-b', 'main', ...args);
    return git;
  }

  /** Its output as bytes. */
  bytes(args: string[], { input, env = {} }: { input?: string | Buffer; env?: Record<string, string> } = {}): Buffer {
    const settings = ['-c', 'gc.auto=0', '-c', 'safe.directory=*', '-c', 'core.quotePath=false'];
    return execFileSync('git', [...settings, ...args], {
      cwd: this.path,
      env: { ...environment, ...env },
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
  }

  run(...args: string[]): string {
    return this.bytes(args).toString().trimEnd();
  }

  /** Lines of output; none for empty output. */
  lines(...args: string[]): string[] {
    const text = this.bytes(args).toString('latin1');
    return text.split('\n').filter(line => line !== '');
  }
}

export const author: Person = { name: 'A U Thor', email: 'author@example.org', seconds: 1_700_000_000, zone: '+0100' };
