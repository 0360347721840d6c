import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { deriveKeys } from '../../../src/auth/derived-keys.ts';
import { readConfig } from '../../../src/config/config.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { exportPersonCommand } from '../../../src/health/accounts/accounts.commands.ts';
import { eraseDeletedAccounts, purgeStale } from '../../../src/health/accounts/erase-accounts.ts';
import { listModerationCommand, listReportsCommand } from '../../../src/health/moderation/moderation.commands.ts';
import { connect, createVisibleAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';
import { testSecret } from '../../harness/secret.ts';
import { graphRequests, personId } from '../groups/graph-requests.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-11-01T12:00:00Z' });
const { sql: db } = gateway.database;
const { ask, change } = graphRequests(gateway);
const folder = mkdtempSync(join(tmpdir(), 'portico-accesses-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface People {
  reporter: TestAccount;
  accused: TestAccount;
  moderator: TestAccount;
}

/** Two people, a report of one by the other, and a moderator. */
async function reported(): Promise<People> {
  const [reporter, accused, moderator] = (await createVisibleAccounts(gateway, [{}, {}, { is_moderator: true }])) as [
    TestAccount,
    TestAccount,
    TestAccount,
  ];
  await connect(gateway, reporter, accused);
  const { refused } = await change(
    reporter,
    'createReport',
    { subjectId: personId(accused), reason: 'HARASSMENT' },
    'subjectId',
  );
  expect(refused).toBeUndefined();
  return { reporter, accused, moderator };
}

const listed = async (who: TestAccount) =>
  (await send(gateway, 'GET', '/auth/me/data-accesses/', undefined, who.access)).json.results;
const queue = (moderator: TestAccount, first = 1) =>
  ask(moderator, `{ reports(first: ${first}) { nodes { id content } } }`);
/** As if the reads had been so many days ago. */
const longAgo = (who: TestAccount, days: number) =>
  sql`update data_access set read_on = read_on - ${days}::int where user_id = ${who.id}`.execute(db);
const read = (subject: string, count = 1, reader = 'moderator') => ({
  id: expect.any(Number),
  reader,
  subject,
  read_on: '2026-11-01',
  read_count: count,
  last_read_at: '2026-11-01T12:00:00.000000Z',
});

describe('a moderator who reads a report', () => {
  let people: People;
  beforeAll(async () => {
    people = await reported();
  });

  test('reads nobody’s data by counting, or by being refused', async () => {
    const { moderator, reporter, accused } = people;
    await ask(moderator, '{ reports { totalCount } }');
    expect((await queue(accused)).refused).toBe('not_moderator');
    expect(await listed(reporter)).toEqual([]);
  });

  test('is listed for the reporter, once a day with a count, without a name', async () => {
    const { moderator, reporter } = people;
    await queue(moderator);
    const { data } = await queue(moderator);
    await ask(moderator, 'query ($id: ID!) { node(id: $id) { ... on Report { content } } }', {
      id: data.reports.nodes[0].id,
    });
    expect(await listed(reporter)).toEqual([read('report', 3)]);
    const graph = await ask(
      reporter,
      '{ healthViewer { dataAccesses(first: 5) { totalCount nodes { id reader subject readOn readCount lastReadAt } } } }',
    );
    expect(graph.data.healthViewer.dataAccesses).toMatchObject({
      totalCount: 1,
      nodes: [{ reader: 'MODERATOR', subject: 'REPORT', readOn: '2026-11-01', readCount: 3 }],
    });
    expect(JSON.stringify(graph)).not.toContain(moderator.name);
  });

  test('is listed for the accused after 30 days, so that nobody learns of a report at once', async () => {
    const { accused } = people;
    expect(await listed(accused)).toEqual([]);
    await longAgo(accused, 30);
    expect(await listed(accused)).toEqual([]);
    await longAgo(accused, 1);
    expect(await listed(accused)).toMatchObject([{ subject: 'moderation', read_on: '2026-10-01', read_count: 3 }]);
  });

  test('is listed for nobody else, by no global id either', async () => {
    const { reporter, accused } = people;
    const [{ id }] = await listed(reporter);
    const node = (who: TestAccount) =>
      ask(who, 'query ($id: ID!) { node(id: $id) { ... on DataAccess { subject } } }', {
        id: encodeGlobalId('DataAccess', id),
      });
    expect((await node(reporter)).data.node).toEqual({ subject: 'REPORT' });
    expect((await node(accused)).data.node).toBeNull();
    expect((await send(gateway, 'GET', '/auth/me/data-accesses/')).status).toBe(401);
  });
});

test('a moderator does not read who has reported them', async () => {
  const { reporter, accused, moderator } = await reported();
  await sql`update users set is_moderator = true where id = ${accused.id}`.execute(db);
  const text =
    'query ($id: ID!) { reports(first: 100) { totalCount nodes { id reporter { personId } } } node(id: $id) { ... on Report { text } } }';
  const { data: all } = await queue(moderator);
  const [{ id }] = all.reports.nodes;
  const own = await ask(accused, text, { id });
  expect([own.data.node, JSON.stringify(own.data).includes(personId(reporter))]).toEqual([null, false]);
  const others = await ask(moderator, text, { id });
  expect(JSON.stringify(others.data)).toContain(personId(reporter));
  expect(others.data.reports.totalCount).toBe(own.data.reports.totalCount + 1);
});

test('two reads at once are both counted', async () => {
  const { moderator, reporter } = await reported();
  await Promise.all(Array.from({ length: 8 }, () => queue(moderator, 100)));
  expect(await listed(reporter)).toEqual([read('report', 8)]);
});

test('only the rows of the page are read, and not the one after it', async () => {
  const earlier = await reported();
  const later = await reported();
  await queue(later.moderator, 1);
  expect(await listed(later.reporter)).toEqual([read('report')]);
  expect(await listed(earlier.reporter)).toEqual([]);
});

test('what cannot be recorded is not read', async () => {
  const { moderator, reporter } = await reported();
  await sql`alter table data_access add constraint refuse_all check (false) not valid`.execute(db);
  const refused = await queue(moderator).finally(() =>
    sql`alter table data_access drop constraint refuse_all`.execute(db),
  );
  expect(refused.data?.reports ?? null).toBeNull();
  expect(gateway.defects.splice(0)).toHaveLength(1);
  expect(await listed(reporter)).toEqual([]);
});

test('decisions, refused contacts and held dates of birth are reads of whom they are about', async () => {
  const { accused, moderator } = await reported();
  const [child, minor] = (await createVisibleAccounts(gateway, [
    { date_of_birth: '2009-05-04' },
    { date_of_birth: '2009-05-04' },
  ])) as [TestAccount, TestAccount];
  await send(gateway, 'POST', '/community/peers/connect/', { receiver_id: minor.id }, accused.access);
  await send(gateway, 'PATCH', '/auth/me/', { date_of_birth: '1990-05-04' }, child.access);
  const { data } = await queue(moderator);
  const decision = { reportId: data.reports.nodes[0].id, decision: 'WARN', note: 'Be kind.' };
  await change(moderator, 'decideReport', decision, 'report { decision }');
  await ask(
    moderator,
    '{ moderationEvents(first: 1) { nodes { note } } contactSummaries { refusedPeople } heldAges { bornOn } }',
  );
  expect(await listed(child)).toEqual([read('birth_date')]);
  await longAgo(accused, 40);
  // The queue, the payload of the decision, the trail, and the refused contacts.
  expect(await listed(accused)).toMatchObject([{ subject: 'moderation', read_count: 4 }]);
});

test('the command line is an operator', async () => {
  const { reporter, accused } = await reported();
  const config = readConfig({ SECRET_KEY: testSecret });
  const keys = deriveKeys(config);
  const { now } = gateway.clock;
  const around = { keys, now, write: () => {} };
  await inTransaction(gateway.database, one => listReportsCommand(true, { db: one, ...around }));
  await inTransaction(gateway.database, one => listModerationCommand({ db: one, ...around }));
  const options = { config, database: gateway.database, now, origin: gateway.url, write: () => {} };
  expect(await exportPersonCommand(accused.email, folder, options)).toBe(true);
  expect(await listed(reporter)).toEqual([read('report', 1, 'operator')]);
  expect(await listed(accused)).toEqual([read('export', 1, 'operator')]);
});

test('reads are exported, erased with the account, and deleted after a year; those of an erased moderator stay', async () => {
  const { reporter, accused, moderator } = await reported();
  await queue(moderator);
  const exported = await send(gateway, 'GET', '/auth/me/export/', undefined, reporter.access);
  expect(exported.json.data_accesses).toEqual([read('report')]);
  const rowsOf = async (...people: TestAccount[]) =>
    (
      await sql<{ id: number }>`select user_id as id from data_access
        where user_id = any(${people.map(one => one.id)}::bigint[]) order by user_id`.execute(db)
    ).rows.map(row => row.id);
  const erase = () => inTransaction(gateway.database, one => eraseDeletedAccounts(one, gateway.clock.now, 0));
  await send(gateway, 'DELETE', '/auth/me/delete/', undefined, moderator.access);
  await erase();
  expect(await rowsOf(reporter, accused)).toEqual([reporter.id, accused.id]);
  await send(gateway, 'DELETE', '/auth/me/delete/', undefined, reporter.access);
  await erase();
  expect(await rowsOf(reporter, accused)).toEqual([accused.id]);
  await longAgo(accused, 365);
  await purgeStale(db, gateway.clock.now);
  expect(await rowsOf(accused)).toEqual([accused.id]);
  await longAgo(accused, 1);
  await purgeStale(db, gateway.clock.now);
  expect(await rowsOf(accused)).toEqual([]);
});
