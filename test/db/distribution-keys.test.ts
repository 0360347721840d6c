import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createAccounts } from '../harness/accounts.ts';
import { testGateway } from '../harness/gateway.ts';
import { call, demoOf } from '../harness/hosting.ts';
import type { Sent } from '../harness/statements.ts';
import { distributeTables, serverCount, serversOf, uniqueIndexes } from './distributed-tables.ts';
import { distribution } from './distribution.ts';

// Hooks run in the order of registration: the connection ends before the gateway's database is dropped.
let client: pg.Client;
afterAll(() => client.end());
const gateway = await testGateway();
client = new pg.Client(gateway.databaseUrl);
await client.connect();

const distributed = [...distribution].flatMap(([table, one]) =>
  one.kind === 'distributed' ? [{ table, ...one }] : [],
);

describe('the tables', () => {
  test('have a distribution each', async () => {
    const { rows } = await client.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    expect(rows.map(row => row.relname).toSorted()).toEqual([...distribution.keys()].toSorted());
  });

  test('have their distribution column in every row', async () => {
    const { rows } = await client.query(
      `select attrelid::regclass::text as table, attname as column from pg_attribute
        where attnotnull and (attrelid::regclass::text, attname) in (select * from unnest($1::text[], $2::text[]))`,
      [distributed.map(one => one.table), distributed.map(one => one.by)],
    );
    const found = new Set(rows.map(row => row.table));
    expect(distributed.map(one => one.table).filter(table => !found.has(table))).toEqual([]);
  });

  test('refer to rows of the same server, or to reference tables', async () => {
    const { rows } = await client.query<{ from: string; to: string; columns: string[]; keys: string[] }>(
      `select conrelid::regclass::text as from, confrelid::regclass::text as to,
          (select array_agg(attname::text) from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as columns,
          (select array_agg(attname::text) from pg_attribute where attrelid = confrelid and attnum = any(confkey)) as keys
        from pg_constraint where contype = 'f' and conparentid = 0`,
    );
    const crossing = rows.filter(({ from, to, columns }) => {
      const [child, parent] = [distribution.get(from), distribution.get(to)];
      if (child?.kind !== 'distributed' || parent?.kind === 'reference') return false;
      return !(parent?.kind === 'distributed' && parent.group === child.group && columns.includes(child.by));
    });
    expect(crossing).toEqual([]);
  });

  test('have the distribution column in their unique indexes, but for primary keys', async () => {
    const lacking: string[] = [];
    for (const { table, by } of distributed)
      for (const { definition, hasKey } of await uniqueIndexes(client, table, by))
        if (!hasKey) lacking.push(definition.replace(/^CREATE UNIQUE INDEX \S+ ON (ONLY )?public\./, ''));
    // Primary keys, which would get the column as well. Other indexes of these tables have it.
    expect(lacking).toEqual([
      'branch_protection_rule USING btree (id)',
      'event USING btree (id, created_at)',
      'git_chunk USING btree (chunks, "position")',
      'repository_growth USING btree (id)',
      'rule_suite USING btree (id)',
      'source_import USING btree (id)',
      'article_recommendation USING btree (id)',
      'assessment USING btree (id)',
      'audit_event USING btree (id)',
      'companion_message USING btree (id)',
      'health_goal USING btree (id)',
      'media USING btree (id)',
      'session USING btree (id)',
      'symptom_log USING btree (id)',
      'vital_reading USING btree (id)',
    ]);
  });

  test('are in docs/scale.md', () => {
    const text = readFileSync('docs/scale.md', 'utf8');
    expect([...distribution.keys()].filter(table => !text.includes(`\`${table}\``))).toEqual([]);
  });
});

describe('hot requests', () => {
  /** Reads of the traffic that docs/scale.md plans for. `crosses`: distributed tables that the request may read on all servers. */
  const hot: {
    as: 'guest' | 'person' | 'wren';
    method?: string;
    path: string;
    body?: unknown;
    crosses?: readonly string[];
  }[] = [
    { as: 'guest', path: '/api/v1/articles/' },
    { as: 'guest', path: '/api/v1/articles/?search=sleep' },
    { as: 'person', path: '/api/v1/articles/1/' },
    { as: 'person', path: '/api/v1/articles/bookmarks/' },
    // What is popular depends on everybody's marks of the picked articles.
    { as: 'person', path: '/api/v1/articles/recommended/', crosses: ['article_bookmark', 'article_like'] },
    { as: 'person', path: '/api/v1/articles/1/comments/' },
    // Likes of one article by many people are group-committed.
    { as: 'person', method: 'POST', path: '/api/v1/articles/1/like/', crosses: ['article_like'] },
    { as: 'person', path: '/api/v1/health/vitals/' },
    { as: 'person', method: 'POST', path: '/api/v1/health/vitals/', body: { heart_rate: 61 } },
    { as: 'person', path: '/api/v1/health/symptoms/' },
    { as: 'person', path: '/api/v1/health/goals/' },
    { as: 'person', path: '/api/v1/health/dashboard/' },
    { as: 'person', path: '/api/v1/assessments/' },
    { as: 'person', path: '/api/v1/chat/ai/history/' },
    { as: 'guest', path: '/repos/harbor-lab/compass' },
    { as: 'guest', path: '/repos/harbor-lab/compass/commits' },
    { as: 'guest', path: '/repos/harbor-lab/compass/contents/README.md' },
    { as: 'guest', path: '/repos/harbor-lab/compass/branches' },
    { as: 'guest', path: '/repos/harbor-lab/compass/git/trees/main?recursive=1' },
    { as: 'guest', path: '/repos/harbor-lab/compass/events' },
    { as: 'guest', path: '/repos/harbor-lab/compass/stargazers' },
    { as: 'guest', path: '/harbor-lab/compass.git/info/refs?service=git-upload-pack' },
    { as: 'wren', path: '/repos/harbor-lab/compass/rulesets/rule-suites' },
    // Each repository of the list has its own size and time of the last push.
    { as: 'wren', path: '/user/repos', crosses: ['repository_growth'] },
    {
      as: 'wren',
      method: 'PUT',
      path: '/repos/harbor-lab/compass/contents/hot.txt',
      body: { message: 'Add', content: 'aGk=' },
    },
    // Over all repositories: each server returns its newest.
    { as: 'guest', path: '/events', crosses: ['event'] },
    { as: 'guest', path: '/users/wren/events', crosses: ['event'] },
    // A star is stored with its repository.
    { as: 'guest', path: '/users/wren/starred', crosses: ['star'] },
  ];

  test('read each distributed table on one server', async () => {
    const demo = await demoOf(gateway);
    const [account] = await createAccounts(gateway, 1);
    const tokens = { guest: undefined, person: account?.access, wren: demo.users.wren.classic_token };
    const sent = new Map<string, Sent[]>();
    for (const { as, method = 'GET', path, body } of hot) {
      const authorization = tokens[as] === undefined ? undefined : `Bearer ${tokens[as]}`;
      const statements = await gateway.sent(async () => {
        const answer = await call(gateway, method, path, authorization, body);
        expect([path, answer.status < 300]).toEqual([path, true]);
      });
      sent.set(`${method} ${path}`, statements);
    }
    await distributeTables(client);
    const crossing = new Map<string, Set<string>>();
    for (const [name, statements] of sent) {
      for (const statement of statements) {
        for (const [table, servers] of await serversOf(client, statement))
          if (servers > 1) crossing.set(name, (crossing.get(name) ?? new Set()).add(table));
      }
    }
    const allowed = hot.flatMap(({ method = 'GET', path, crosses }) =>
      crosses ? [[`${method} ${path}`, crosses]] : [],
    );
    expect(Object.fromEntries([...crossing].map(([name, tables]) => [name, [...tables].sort()]))).toEqual(
      Object.fromEntries(allowed),
    );
  });

  test('are told apart from a statement without the column', async () => {
    const servers = (text: string, values: unknown[]): Promise<Map<string, number>> =>
      serversOf(client, { text, values });
    expect(await servers('select oid from git_ref where name = $1', ['refs/heads/main'])).toEqual(
      new Map([['git_ref', serverCount]]),
    );
    expect(await servers('select oid from git_ref where repository_id = $1', [1])).toEqual(new Map([['git_ref', 1]]));
  });
});
