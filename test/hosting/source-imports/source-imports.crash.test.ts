import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { exportRepository } from '../../../src/git/export-repository.ts';
import { openRepository, unlimitedSource } from '../../../src/git/repository.ts';
import { randomHistory } from '../../git/random-history.ts';
import { folder, SystemGit } from '../../git/worlds.ts';
import { gitServer } from '../../harness/git-server.ts';
import { testSecret } from '../../harness/secret.ts';
import { importWorld } from './import-world.ts';

const { ask, target, wait, settled, gateway } = await importWorld({ workers: false });

const children: ChildProcess[] = [];
const data = mkdtempSync(join(tmpdir(), 'portico-imports-'));
const blocker = new pg.Client(gateway.databaseUrl);
// The database is dropped before this file has ended.
blocker.on('error', () => {});
await blocker.connect();
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await blocker.end().catch(() => {});
  rmSync(data, { recursive: true, force: true });
});

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url));

function worker(): ChildProcess {
  const settings = {
    DATABASE_URL: gateway.databaseUrl,
    SECRET_KEY: testSecret,
    PORTICO_DATA: data,
    SOURCE_IMPORTS: 'on',
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    STATEMENT_TIMEOUT_MS: '60000',
  };
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

const history = randomHistory(80, 23);
let isHolding = true;
const held = new Set<ServerResponse>();
const server = await gitServer({
  repositories: {
    detecting: join(history.path, '.git'),
    importing: join(history.path, '.git'),
    free: join(history.path, '.git'),
  },
  before(request, response) {
    const path = request.url ?? '';
    if (!isHolding || !(path.startsWith('/detecting') || path === '/importing/git-upload-pack')) return false;
    held.add(response);
    return true;
  },
});

/** Blocks the steps of one repository at their first write. */
async function holdBack(name: string, when: string, condition: string): Promise<void> {
  await blocker.query(`create function ${name}() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`);
  await blocker.query(`create trigger ${name} ${when} for each row when (${condition}) execute function ${name}()`);
}

test('workers that are killed in any step lose nothing: each import completes and equals the source', async () => {
  const [detecting, importing, mapping, pushing] = await Promise.all([target(), target(), target(), target()]);
  await blocker.query('select pg_advisory_lock(4711)');
  const start = (path: string, name: string, vcs?: string) =>
    ask('PUT', path, '', { vcs_url: `${server.url}/${name}`, ...(vcs === undefined ? {} : { vcs }) });
  await start(mapping.path, 'free', 'git');
  await start(pushing.path, 'free', 'git');
  const [row] = await gateway.database.read<{ id: number }>(
    sql`select id from source_import where repository_id = ${mapping.id}`,
  );
  await holdBack('hold_mapping', 'before update on source_import_ref', `new.import_id = ${row?.id}`);
  await holdBack('hold_pushing', 'before insert on git_object', `new.repository_id = ${pushing.id}`);
  await start(importing.path, 'importing', 'git');
  // Each takes two imports at a time.
  const doomed = [worker(), worker()];
  await wait(mapping.path, ({ status }) => status === 'mapping', 200_000);
  await wait(pushing.path, ({ status }) => status === 'pushing', 200_000);
  const end = Date.now() + 200_000;
  for (;;) {
    const [{ n = 0 } = {}] = await gateway.database.read<{ n: number }>(
      sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted and objid = 4711`,
    );
    const isFetching = server.asked.includes('/importing/git-upload-pack');
    if (n === 2 && isFetching) break;
    expect(Date.now()).toBeLessThan(end);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  // Last, because this query does not wait for long.
  await start(detecting.path, 'detecting');
  while (!server.asked.some(path => path.startsWith('/detecting')) && Date.now() < end) {
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  for (const child of doomed) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  const statuses = async () =>
    Promise.all([detecting, importing, mapping, pushing].map(async ({ path }) => (await ask('GET', path)).json.status));
  expect(await statuses()).toEqual(['detecting', 'importing', 'mapping', 'pushing']);
  isHolding = false;
  for (const response of held) response.destroy();
  await blocker.query('select pg_advisory_unlock(4711)');
  // One loses its fetched files with the worker; the other keeps them.
  const [{ scratch = '' } = {}] = await gateway.database.read<{ scratch: string }>(
    sql`select scratch from source_import where repository_id = ${mapping.id}`,
  );
  rmSync(join(data, 'imports', scratch), { recursive: true });
  const needed = await gateway.database.read<{ scratch: string }>(
    sql`select scratch from source_import where scratch is not null`,
  );
  const abandoned = readdirSync(join(data, 'imports')).filter(name => needed.every(row => row.scratch !== name));
  expect(abandoned.length).toBeGreaterThan(0);
  // Simulates missed heartbeats; the queue itself is tested elsewhere.
  await blocker.query(`update jobs.job set heartbeat_on = now() - interval '1 minute' where state = 'active'`);
  await once(worker().stdout as Readable, 'data');
  expect(readdirSync(join(data, 'imports')).filter(name => abandoned.includes(name))).toEqual([]);
  for (const { id, path } of [detecting, importing, mapping, pushing]) {
    expect(await settled(path, 200_000)).toMatchObject({
      status: 'complete',
      percent: 100,
      push_percent: 100,
    });
    const copy = join(folder(), 'export.git');
    await exportRepository(
      openRepository(
        unlimitedSource(query => gateway.database.read(query)),
        id,
      ),
      copy,
    );
    const git = new SystemGit(copy);
    git.run('fsck', '--strict', '--full');
    expect(git.lines('for-each-ref')).toEqual(history.lines('for-each-ref'));
  }
}, 900_000);
