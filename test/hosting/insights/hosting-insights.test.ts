import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction } from '../../../src/db/database.ts';
import { compactInsightTallies } from '../../../src/hosting/insights/insight-tallies.ts';
import { recordAttempts } from '../../../src/hosting/webhooks/delivery-writer.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call, demoOf, globalIdOf, graphql } from '../../harness/hosting.ts';
import { scansOf } from '../../harness/plan-scans.ts';
import { changeRef, ruleset, storedCommit, type TestRepository } from '../rules/push-methods.ts';
import { classic, plantUsage, until } from './usage.ts';

const gateway = await testGateway({ data: 'demo', now: '2026-10-01T08:10:00Z' });
const { database } = gateway;
const demo = await demoOf(gateway);
const token = demo.users.wren.classic_token;
const empty = 'delete from insight_tally';
await sql.raw(empty).execute(database.sql);

const compact = (): Promise<number> => inTransaction(database, db => compactInsightTallies(db, gateway.clock.now));

async function insights(fields: string, days = 30) {
  const query = `query($days: Int!) { hostingInsights(days: $days) { ${fields} } }`;
  const { json } = await call(gateway, 'POST', '/graphql', `Bearer ${demo.tokens.service}`, {
    query,
    variables: { days },
  });
  return json.errors ?? json.data.hostingInsights;
}

describe('API requests', () => {
  const statuses = 'requestCount limitedCount clientErrorCount serverErrorCount';
  const fields = `apiRequests { startsAt ${statuses} } apiRoutes { method route ${statuses} }
    apiActorTypes { actorType ${statuses} } apiOrganizations { organizationLogin ${statuses} }`;

  test('are summed across organizations, also while they are being added up', async () => {
    const row = { actor: classic(1, 1), method: 'GET', route: '/a', total: 10, limited: 2, clientErrors: 1 };
    await plantUsage(database, randomUUID(), [
      { ...row, org: 'harbor-lab', at: '2026-09-30T23:59:00Z' },
      { ...row, org: 'northgate', at: '2026-10-01T00:00:00Z', serverErrors: 3 },
      { ...row, org: 'northgate', at: '2026-09-01T00:00:00Z', total: 1, limited: 0, clientErrors: 0, method: 'PUT' },
    ]);
    const counts = (
      requestCount: number,
      limitedCount: number,
      clientErrorCount: number,
      serverErrorCount: number,
    ) => ({
      ...{ requestCount, limitedCount, clientErrorCount, serverErrorCount },
    });
    const expected = {
      apiRequests: [
        { startsAt: '2026-09-30T00:00:00.000000Z', ...counts(10, 2, 1, 0) },
        { startsAt: '2026-10-01T00:00:00.000000Z', ...counts(10, 2, 1, 3) },
      ],
      apiRoutes: [{ method: 'GET', route: '/a', ...counts(20, 4, 2, 3) }],
      apiActorTypes: [{ actorType: 'CLASSIC_TOKEN', ...counts(20, 4, 2, 3) }],
      apiOrganizations: [
        { organizationLogin: 'harbor-lab', ...counts(10, 2, 1, 0) },
        { organizationLogin: 'northgate', ...counts(10, 2, 1, 3) },
      ],
    };
    expect(await insights(fields)).toEqual(expected);
    await Promise.all([compact(), compact()]);
    expect(await insights(fields)).toEqual(expected);
    await compact();
    expect(await insights(fields)).toEqual(expected);
    expect((await insights(fields, 31)).apiRoutes).toHaveLength(2);
    expect((await insights('apiRequests(step: HOUR) { startsAt }', 7)).apiRequests).toEqual([
      { startsAt: '2026-09-30T23:00:00.000000Z' },
      { startsAt: '2026-10-01T00:00:00.000000Z' },
    ]);
  });

  test('are counted as they are answered', async () => {
    await sql.raw(empty).execute(database.sql);
    const ask = (path: string) => call(gateway, 'GET', path, `Bearer ${token}`);
    await Promise.all([ask('/orgs/harbor-lab'), ask('/repos/harbor-lab/compass'), ask('/repos/harbor-lab/no-such')]);
    const { apiRequests } = await until(
      () => insights(fields, 1),
      found => found.apiRequests[0]?.requestCount === 3,
    );
    expect(apiRequests).toEqual([
      {
        startsAt: '2026-10-01T00:00:00.000000Z',
        requestCount: 3,
        limitedCount: 0,
        clientErrorCount: 1,
        serverErrorCount: 0,
      },
    ]);
  });

  test('have hours of a week at most, and days of ninety', async () => {
    for (const [selection, days, message] of [
      ['apiRequests(step: HOUR) { startsAt }', 8, /^step HOUR is for periods of at most 7 days/],
      ['webhookDeliveries(step: HOUR) { startsAt }', 90, /^step HOUR is for periods of at most 7 days/],
      ['from', 91, /^days must be from 1 to 90\.$/],
      ['from', 0, /^days must be from 1 to 90\.$/],
    ] as const) {
      const [error] = await insights(selection, days);
      expect(error).toMatchObject({ message: expect.stringMatching(message), extensions: { code: 'BAD_USER_INPUT' } });
    }
  });
});

test('rules count by type, without the names of rulesets and repositories', async () => {
  const document =
    'mutation($input: CreateRepositoryInput!) { createRepository(input: $input) { repository { databaseId } } }';
  const input = { ownerId: await globalIdOf(gateway, 'harbor-lab'), name: 'ruled', visibility: 'PRIVATE' };
  const { data } = await graphql(gateway, document, token, { input });
  const made: TestRepository = { owner: 'harbor-lab', name: 'ruled', id: data.createRepository.repository.databaseId };
  const conditions = { ref_name: { include: ['refs/heads/release/*'], exclude: [] } };
  const rules = [{ type: 'commit_message_pattern', parameters: { operator: 'starts_with', pattern: 'AB-' } }];
  await ruleset(gateway, made, token, { name: 'secret', conditions, rules });
  for (const [name, message] of [
    ['good', 'AB-1 number'],
    ['bad', 'no number'],
  ] as const) {
    const sha = await storedCommit(gateway, made, { file: { message } });
    await changeRef(gateway, made, 'createRef', { ref: `refs/heads/release/${name}`, sha, token }).catch(() => {});
  }
  expect(await insights('ruleResults { startsAt ruleType passCount failCount bypassCount }')).toEqual({
    ruleResults: [
      {
        startsAt: '2026-10-01T00:00:00.000000Z',
        ruleType: 'COMMIT_MESSAGE_PATTERN',
        passCount: 1,
        failCount: 1,
        bypassCount: 0,
      },
    ],
  });
});

test('deliveries count once, by answer and duration', async () => {
  const { rows } = await sql<{ id: number }>`insert into webhook_delivery (app_id, guid, event, created_at)
    select ${demo.app.id}, gen_random_uuid(), 'star', now() from generate_series(1, 5) returning id`.execute(
    database.sql,
  );
  const results = [
    ['OK', 200, 0.2],
    ['OK', 204, 1.8],
    ['Invalid HTTP Response: 404', 404, 0.1],
    ['Invalid HTTP Response: 502', 502, 0.1],
    ['timed out', 504, 10],
  ] as const;
  const at = new Date('2026-10-01T07:59:00Z');
  const records = results.map(([status, statusCode, duration], index) => {
    const result = {
      status,
      statusCode,
      duration,
      responseHeaders: null,
      responsePayload: null,
      retryAfterMs: undefined,
    };
    return { id: rows[index]?.id ?? 0, at, result };
  });
  await recordAttempts(database.sql, records);
  await recordAttempts(database.sql, records);
  const fields = 'webhookDeliveries(step: HOUR) { startsAt answer deliveryCount slowCount averageDuration }';
  const counts = (answer: string, deliveryCount: number, slowCount: number, averageDuration: number) => ({
    ...{ startsAt: '2026-10-01T07:00:00.000000Z', answer, deliveryCount, slowCount, averageDuration },
  });
  const expected = {
    webhookDeliveries: [
      counts('CLIENT_ERROR', 1, 0, 0.1),
      counts('NO_RESPONSE', 1, 1, 10),
      counts('SERVER_ERROR', 1, 0, 0.1),
      counts('SUCCESS', 2, 1, 1),
    ],
  };
  expect(await insights(fields, 1)).toEqual(expected);
  await compact();
  expect(await insights(fields, 1)).toEqual(expected);
});

test('imports count by their state', async () => {
  await sql`insert into source_import (repository_id, vcs_url, status, may_change_workflows, created_at, updated_at)
    select r.id, 'https://git.example/secret', case when row_number() over (order by r.id) < 3 then 'error' else 'complete' end,
      false, case when row_number() over (order by r.id) = 1 then ${'2026-08-01T00:00:00Z'}::timestamptz
        else ${'2026-09-30T00:00:00Z'}::timestamptz end, now()
    from repository r order by r.id limit 4`.execute(database.sql);
  expect((await insights('sourceImports { status importCount }')).sourceImports).toEqual([
    { status: 'COMPLETE', importCount: 2 },
    { status: 'ERROR', importCount: 1 },
  ]);
});

test('expired counts are deleted', async () => {
  const day = 24 * 60 * 60_000;
  for (const ago of [89, 92]) {
    const at = new Date(gateway.clock.now.getTime() - ago * day).toISOString();
    const row = { org: 'harbor-lab', at, actor: classic(1, 1), method: 'GET', route: `/${ago}`, total: 1 };
    await plantUsage(database, randomUUID(), [row]);
  }
  await compact();
  const { rows } = await sql<{
    key: string;
  }>`select key from insight_tally where key in ('GET /89', 'GET /92')`.execute(database.sql);
  expect(rows).toEqual([{ key: 'GET /89' }]);
});

test('each list is one statement, which an index serves among 300,000 counts', async () => {
  await sql`insert into insight_tally (metric, bucket, key, outcome, events, is_sum)
    select m, timestamptz '2025-01-01 00:00:00Z' + n / 100 * interval '1 day', 'GET /' || n % 100, 'success', 1, true
    from generate_series(1, 100_000) as n, unnest(array['api_route', 'rule', 'delivery']) as m`.execute(database.sql);
  await sql`analyze insight_tally`.execute(database.sql);
  for (const field of [
    'apiRequests { requestCount }',
    'apiRoutes { requestCount }',
    'apiActorTypes { requestCount }',
    'apiOrganizations { requestCount }',
    'ruleResults { passCount }',
    'webhookDeliveries { deliveryCount }',
  ]) {
    const sent = (await gateway.sent(() => insights(field, 7))).filter(({ text }) => text.includes('insight_tally'));
    expect([field, sent.length]).toEqual([field, 1]);
    for (const one of sent) {
      const scans = await scansOf(gateway, one, 'force_custom_plan');
      const found = scans.filter(({ scan }) => scan.includes('insight_tally'));
      expect([field, found.filter(({ scan }) => /Index.*Scan insight_tally_of$/.test(scan)).length]).toEqual([
        field,
        1,
      ]);
      expect(Math.max(...found.map(({ rows }) => rows))).toBeLessThan(2_000);
    }
  }
});
