import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { inTransaction } from '../../src/db/database.ts';
import { insertCredential } from '../../src/hosting/credentials/insert-credential.ts';
import { type BulkWorld, growWorld } from '../harness/bulk-world.ts';
import { testGateway } from '../harness/gateway.ts';
import { demoOf, graphql } from '../harness/hosting.ts';
import { newWorld, type World } from '../hosting/contents/world.ts';

const gateway = await testGateway({
  data: 'demo',
  now: '2026-10-01T08:10:00Z',
  settings: { STATEMENT_TIMEOUT_MS: '60000', SOURCE_IMPORTS: 'on' },
});
const { wren } = (await demoOf(gateway)).users;
let bulk: BulkWorld;
let world: World;
let repositoryIds: string[];

/** Rows below each list of an operation. */
const many = 100;

beforeAll(async () => {
  bulk = await growWorld(gateway);
  const owner = sql`(select id from account where login = 'wren')`;
  const lab = sql`(select id from account where login = 'harbor-lab')`;
  const compass = sql`(select r.id from repository r where r.name = 'compass' and r.owner_id = ${lab})`;
  const now = sql`${gateway.clock.now.toISOString()}::timestamptz`;
  for (const statement of [
    sql`insert into account (kind, login, created_at, updated_at)
      select 'organization', 'lab-' || n, ${now}, ${now} from generate_series(1, ${many}::int) n`,
    sql`insert into membership (organization_id, account_id, role, since)
      select id, ${owner}, 'admin', ${now} from account where login like 'lab-%'`,
    sql`insert into app (owner_id, slug, name, client_id, client_secret_hash, external_url, permissions, events, created_at, updated_at)
      select ${lab}, 'many-' || n, 'Many ' || n, 'many-' || n, '\\x00', 'https://x.example', '{}', '{}', ${now}, ${now}
      from generate_series(1, ${many}::int) n`,
    sql`insert into webhook_delivery (app_id, guid, event, created_at, delivered_at, status, status_code)
      select id, gen_random_uuid(), 'push', ${now}, ${now}, 'sent', 500 from app, generate_series(1, 3) where slug like 'many-%'`,
    sql`insert into rule_suite (owner_id, repository_id, actor_id, ref, pushed_at, result, is_active, evaluations)
      select ${lab}, ${compass}, ${owner}, 'refs/heads/main', ${now} - case when n = 1 then interval '1 minute' else interval '2 days' end,
        'fail', true, jsonb_build_array(jsonb_build_object('ruleset_id', n, 'ruleset_name', 'Rules ' || n,
          'enforcement', 'active', 'result', 'fail', 'rule_type', 'deletion'))
      from generate_series(1, ${many}::int) n`,
    sql`update private_chat_reader set read_at = 'epoch' where user_id = ${bulk.reader.id}`,
    sql`insert into chat_message (id, chat_id, author_id, content, sent_at)
      select gen_random_uuid(), id, high_id, 'Unread', ${now} from private_chat where low_id = ${bulk.reader.id}`,
  ])
    await statement.execute(gateway.database.sql);
  const { rows: owners } = await sql<{ id: number }>`select ${owner} as id`.execute(gateway.database.sql);
  const accountId = Number(owners[0]?.id);
  await inTransaction(gateway.database, async db => {
    for (let number = 0; number < many; number++)
      await insertCredential(db, { kind: 'classic', accountId, note: `Token ${number}` }, gateway.clock.now);
  });
  const { rows } = await sql<{ id: number }>`select id from repository where name like 'fork-%' limit ${many}`.execute(
    gateway.database.sql,
  );
  repositoryIds = rows.map(({ id }) => encodeGlobalId('Repository', id));
  world = await newWorld(gateway, wren.classic_token);
  const texts = Array.from({ length: many }, (_, number) => [`many/${number}.md`, `Text ${number}`]);
  await world.commit({ 'one/a.md': 'Text', ...Object.fromEntries(texts) });
  for (let number = 0; number < many; number++) await world.commit({ 'docs/a.md': `Text ${number}` });
  for (let number = 1; number < many; number++)
    await world.commit({ 'a.md': `Text ${number}` }, { branch: `branch-${number}` });
}, 240_000);

// biome-ignore lint/suspicious/noExplicitAny: each document has a shape of its own.
type Data = any;
interface Budget {
  operation: string;
  as: 'reader' | 'wren';
  /** Variables for one row of the list, and for as many as there are, at most 100. */
  one: () => object;
  all: () => object;
  /** The list of the answer. */
  list: (data: Data) => unknown[];
  /** With the credential of the caller. */
  statements: number;
}

const place = (): object => ({ owner: world.owner, name: world.name });
const lab = { login: 'harbor-lab' };
const paged = (variables: () => object = () => ({})): Pick<Budget, 'one' | 'all'> => ({
  one: () => ({ ...variables(), first: 1 }),
  all: () => ({ ...variables(), first: many }),
});

const budgets: Budget[] = [
  {
    operation: 'organization-api-usage',
    as: 'wren',
    ...paged(() => ({ ...lab, from: '2026-10-01T00:00:00Z' })),
    list: (data: Data) => data.organization.apiInsights.routes.nodes,
    statements: 3,
  },
  {
    operation: 'failed-deliveries',
    as: 'wren',
    ...paged(() => lab),
    list: (data: Data) => data.organization.apps.nodes,
    statements: 4,
  },
  {
    operation: 'rule-outcomes',
    as: 'wren',
    one: () => ({ ...lab, period: 'HOUR' }),
    all: () => ({ ...lab, period: 'WEEK' }),
    list: (data: Data) => data.organization.ruleOutcomes,
    statements: 2,
  },
  {
    operation: 'path-history',
    as: 'wren',
    ...paged(() => ({ ...place(), path: 'docs' })),
    list: (data: Data) => data.repository.object.history.nodes,
    statements: 2,
  },
  {
    operation: 'branch-heads',
    as: 'wren',
    ...paged(place),
    list: (data: Data) => data.repository.refs.nodes,
    statements: 2,
  },
  {
    operation: 'folder-texts',
    as: 'wren',
    one: () => ({ ...place(), expression: 'main:one' }),
    all: () => ({ ...place(), expression: 'main:many' }),
    list: (data: Data) => data.repository.object.entries,
    statements: 2,
  },
  {
    operation: 'my-organizations',
    as: 'wren',
    ...paged(),
    list: (data: Data) => data.viewer.organizations.nodes,
    // One of them finds what single sign-on withholds.
    statements: 3,
  },
  {
    operation: 'repositories-by-id',
    as: 'wren',
    one: () => ({ ids: repositoryIds.slice(0, 1) }),
    all: () => ({ ids: repositoryIds }),
    list: (data: Data) => data.nodes,
    statements: 2,
  },
  {
    operation: 'token-expiry',
    as: 'wren',
    ...paged(),
    list: (data: Data) => data.viewer.tokens.nodes,
    statements: 2,
  },
  {
    operation: 'active-goals',
    as: 'reader',
    ...paged(),
    list: (data: Data) => data.healthViewer.goals.nodes,
    statements: 2,
  },
  {
    operation: 'categories-with-articles',
    as: 'reader',
    ...paged(),
    list: (data: Data) => data.articleCategories[0].articles.nodes,
    statements: 4,
  },
  {
    operation: 'unread-chats',
    as: 'reader',
    ...paged(),
    list: (data: Data) => data.healthViewer.chats.nodes,
    statements: 4,
  },
];

test.each(budgets)(
  'the listed operation $operation takes $statements statements for one row and for many',
  async budget => {
    const text = readFileSync(
      join(import.meta.dirname, `../../examples/operations/${budget.operation}.graphql`),
      'utf8',
    );
    const token = budget.as === 'wren' ? wren.classic_token : bulk.reader.access;
    const run = async (variables: object) => {
      const { data, errors } = await graphql(gateway, text, token, { ...variables });
      expect(errors).toBeUndefined();
      return budget.list(data).length;
    };
    const counts: number[] = [];
    const rows: number[] = [];
    for (const variables of [budget.one(), budget.all()]) {
      // The first request fills the caches of the process.
      rows.push(await run(variables));
      counts.push((await gateway.statements(() => run(variables))).length);
    }
    expect(rows[0]).toBe(1);
    expect(rows[1]).toBeGreaterThan(40);
    expect(counts).toEqual([budget.statements, budget.statements]);
  },
);
