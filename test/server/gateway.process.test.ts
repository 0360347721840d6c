import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { testDatabase } from '../harness/gateway.ts';
import { Program } from '../harness/program.ts';

const [demo, bare] = await Promise.all([testDatabase('demo'), testDatabase('bare')]);

// A busy machine takes ten seconds to load the program; two of them take twenty.
jest.setTimeout(120_000);

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map(program => program.remove()));
});

function start(settings: Record<string, string>): Program {
  const program = new Program(settings);
  programs.push(program);
  return program;
}

const greeting = /Portico is up\.(.*)Try:\n\s*(curl .*)\n\s*(curl .*)\n\s*(curl .*)\n/s;

/** Runs a command line of the startup message, for the few options of curl that it uses. */
async function run(line: string): Promise<{ status: number; json: unknown }> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(found => found[1] ?? found[2] ?? '');
  const [curl, url = '', ...options] = words;
  expect(curl).toBe('curl');
  const init: RequestInit = {};
  for (let at = 0; at < options.length; at += 2) {
    const [option, value = ''] = options.slice(at, at + 2);
    if (option === '-H')
      init.headers = { [value.slice(0, value.indexOf(':'))]: value.slice(value.indexOf(':') + 1).trim() };
    else if (option === '-d') Object.assign(init, { method: 'POST', body: value });
    else throw new Error(`This test does not know curl's ${option}.`);
  }
  const response = await fetch(url, init);
  return { status: response.status, json: await response.json() };
}

test('it prints its addresses and three working commands, and exits with 0 on SIGTERM', async () => {
  const program = start({ DATABASE_URL: demo });
  const [, addresses = '', ...lines] = await program.printed(greeting);
  const [page, graphql, explorer, health, hosting, docs] = [...addresses.matchAll(/http:\/\/[^\s)]+/g)].map(
    found => found[0],
  );
  for (const address of [page, graphql, explorer])
    expect((await fetch(String(address), { headers: { Accept: 'text/html' } })).status).toBe(200);
  expect((await fetch(`${health}/articles/`)).status).toBe(200);
  expect((await fetch(`${hosting}/versions`)).status).toBe(200);
  expect((await fetch(String(docs))).status).toBe(200);

  const [articles, versions, categories] = await Promise.all(lines.map(run));
  expect(articles).toMatchObject({
    status: 200,
    json: { count: expect.any(Number), results: [{ id: expect.any(Number) }] },
  });
  expect(versions).toMatchObject({ status: 200, json: expect.arrayContaining(['2022-11-28']) });
  expect(categories).toMatchObject({ status: 200, json: { data: { articleCategories: expect.any(Array) } } });

  const file = join(program.folder, 'demo.json');
  expect(JSON.parse(readFileSync(file, 'utf8')).base_url).toBe(new URL(String(health)).origin);
  // It contains tokens of the demo data.
  expect(statSync(file).mode & 0o777).toBe(0o600);

  program.signal('SIGTERM');
  expect(await program.ended()).toBe(0);
  expect(program.output).toContain('stopping on SIGTERM');
  expect(program.errors).toBe('');
});

test('the thread that watches the event loop starts with the first request', async () => {
  const program = start({ DATABASE_URL: demo });
  const [, addresses = ''] = await program.printed(greeting);
  const [page = ''] = /http:\/\/[^\s)]+/.exec(addresses) ?? [];
  const threads = (): number => readdirSync(`/proc/${program.pid}/task`).length;
  const before = threads();
  await fetch(new URL('/livez', page));
  expect(threads()).toBe(before + 1);
});

test('a first start names its steps and their times, and Ctrl-C, which npm passes on as well, stops it in order', async () => {
  const program = start({});
  const step = (name: string): string => `  ${name}…\n(?:.*\n)*?  ${name}: [0-9.]+ s\n(?:.*\n)*?`;
  const steps = ['Creating the database', 'Migrating the database', 'Filling the demo world'].map(step).join('');
  await program.printed(new RegExp(`^(?:  Building…\n  Building: [0-9.]+ s\n)?  Starting…\n${steps}\n  Portico is up`));
  const dashboards = /dashboards +(http\S+)/.exec(program.output)?.[1];
  const [, token = ''] = /hosting token +(\S+)/.exec(program.output) ?? [];
  expect((await fetch(`${dashboards}`, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
  program.signal('SIGINT');
  program.signal('SIGINT');
  expect(await program.ended()).toBe(0);
  expect(program.output).not.toMatch(/"level":[45]0/);
  expect(program.errors).toBe('');
});

test('a second signal ends it at once despite active requests', async () => {
  const program = start({ DATABASE_URL: demo, DRAIN_TIMEOUT_MS: '600000', STATEMENT_TIMEOUT_MS: '600000' });
  const [, addresses = ''] = await program.printed(greeting);
  const locker = new pg.Client(demo);
  await locker.connect();
  try {
    await locker.query('begin; lock table article in access exclusive mode');
    const [health = ''] = /http:\S+\/api\/v1/.exec(addresses) ?? [];
    const request = fetch(`${health}/articles/`).then(
      () => 'answered',
      () => 'cut',
    );
    await waitForLock(locker);
    program.signal('SIGINT');
    await program.printed(/stopping on SIGINT/);
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(1);
    expect(await request).toBe('cut');
  } finally {
    await locker.end();
  }
});

/** Resolves when a session waits for the lock that `locker` holds. */
async function waitForLock(locker: pg.Client): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const { rows } = await locker.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
    if (Date.now() > deadline) throw new Error('No request reached the database.');
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

test('invalid settings are reported together, without their values, and it exits with 1', async () => {
  const program = start({ PORT: '99999', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://name:s3cr3t@somewhere/portico' });
  expect(await program.ended()).toBe(1);
  expect(program.errors).toMatch(/^PORT must be a whole number from 0 to 65535\./m);
  expect(program.errors).toMatch(/^LOG_LEVEL must be one of fatal, error/m);
  expect(program.errors).toMatch(/^DATABASE_URL must be an address such as postgres:/m);
  expect(program.errors).not.toMatch(/s3cr3t|loud|99999|\n\s+at /);
  expect(program.output).toMatch(/^(?: {2}Building.*\n)* {2}Starting…\n$/);
});

test('a port in use is reported in one sentence', async () => {
  const other = createServer();
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as { port: number };
    const program = start({ DATABASE_URL: demo, PORT: String(port) });
    expect(await program.ended()).toBe(1);
    expect(program.errors).toBe(
      `Port ${port} of 127.0.0.1 is in use by another program. Stop that one, or set PORT to another port (0 takes a free one).\n`,
    );
  } finally {
    other.close();
  }
});

test('an address of another machine is reported in one sentence', async () => {
  // 192.0.2.0/24 is reserved for documentation.
  const program = start({ DATABASE_URL: demo, HOST: '192.0.2.1', BASE_URL: 'http://192.0.2.1:4000', SEED: 'none' });
  expect(await program.ended()).toBe(1);
  expect(program.errors).toBe(
    '192.0.2.1 is no address of this machine. Set HOST to one that is, such as 127.0.0.1 or 0.0.0.0.\n',
  );
});

test('an unreachable database is reported in one sentence, without its password', async () => {
  const program = start({ DATABASE_URL: 'postgres://name:s3cr3t@127.0.0.1:1/portico' });
  expect(await program.ended()).toBe(1);
  expect(program.errors).toMatch(/^The database cannot be used: .*ECONNREFUSED.*\n$/);
  expect(program.errors).not.toContain('s3cr3t');
});

test('two started together on an empty database both start: one migrates and seeds, the other waits', async () => {
  const pair = [start({ DATABASE_URL: bare }), start({ DATABASE_URL: bare })];
  const greetings = await Promise.all(pair.map(program => program.printed(greeting)));
  for (const [, , line = ''] of greetings) expect(await run(line)).toMatchObject({ status: 200 });
  const count = (word: string): number => pair.filter(program => program.output.includes(word)).length;
  expect(count('migrated')).toBe(1);
  expect(count('Filling the demo world:')).toBe(1);
  const client = new pg.Client(bare);
  await client.connect();
  try {
    const read = async (sql: string) => (await client.query(sql)).rows[0];
    expect(
      await read('select count(*)::int as articles, count(distinct headline)::int as headlines from article'),
    ).toEqual({
      articles: 60,
      headlines: 60,
    });
    expect(await read('select count(*)::int as times from planting')).toEqual({ times: 1 });
    const { times, names } = await read(
      'select count(*)::int as times, count(distinct name)::int as names from mikro_orm_migrations',
    );
    expect(times).toBe(names);
  } finally {
    await client.end();
  }
  for (const program of pair) program.signal('SIGTERM');
  expect(await Promise.all(pair.map(program => program.ended()))).toEqual([0, 0]);
});
