import { afterAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createAccounts } from '../harness/accounts.ts';
import { testDatabase, testGateway } from '../harness/gateway.ts';
import { send } from '../harness/people.ts';

/** Result of an assessment as it was stored before migration 036: without facts, questions and reasons. */
const before = {
  possibleCauses: [
    {
      rank: 1,
      condition: 'Migraine',
      description: 'A throbbing headache.',
      likelihood: 'High',
      urgency: 'medium',
      nextSteps: 'Rest in a dark room.',
      sources: [{ article: null, title: 'NHS: Migraine', url: 'https://www.nhs.uk/conditions/migraine/' }],
    },
    {
      rank: 2,
      condition: 'Tension headache',
      description: 'A band around the head.',
      likelihood: 'Low',
      urgency: 'low',
      nextSteps: 'Take breaks.',
      sources: [],
    },
  ],
  generalAdvice: 'See a doctor.',
  seekEmergencyCare: false,
  triageLevel: 'routine',
  redFlags: [],
  disclaimer: 'This is not a diagnosis.',
  engine: 'rules',
};
const ids = {
  full: '00000000-0000-4000-8000-000000000001',
  withoutCauses: '00000000-0000-4000-8000-000000000002',
  withoutResult: '00000000-0000-4000-8000-000000000003',
};

/** A database of the version before, with one account and its assessments, brought to this version. */
async function upgradedDatabase(): Promise<string> {
  const url = await testDatabase('bare');
  const database = await openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000 });
  try {
    await database.orm.migrator.up({ to: '035-commit-segments' });
    const { id } = await sql<{ id: number }>`
      insert into users (first_name, date_joined, last_seen_at) values ('Old', now(), now()) returning id`
      .execute(database.sql)
      .then(({ rows: [row] }) => row ?? { id: 0 });
    const stored: [string, string, unknown][] = [
      [ids.full, 'completed', before],
      [ids.withoutCauses, 'completed', { ...before, possibleCauses: [] }],
      [ids.withoutResult, 'failed', null],
    ];
    for (const [key, status, result] of stored)
      await sql`
        insert into assessment (id, user_id, symptoms, severity, status, result, triage_level, urgency, created_at)
        values (${key}, ${id}, array['headache'], 4, ${status}, ${result === null ? null : JSON.stringify(result)}::jsonb,
          'routine', 'medium', timestamptz '2026-01-01')`.execute(database.sql);
    expect(await migrate(database)).toContain('036-assessment-interviews');
  } finally {
    await database.close();
  }
  return url;
}

// Registered before the gateway registers its end: the database is dropped after it.
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});
const gateway = await testGateway({ databaseUrl: await upgradedDatabase() });
const [me] = await createAccounts(gateway, 1);
if (!me) throw new Error('There is no account.');
await sql`update assessment set user_id = ${me.id}`.execute(gateway.database.sql);

describe('assessments of the version before', () => {
  test('are answered over REST with empty facts, questions and reasons', async () => {
    const { status, json } = await send(gateway, 'GET', `/assessments/${ids.full}/`, undefined, me.access);
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ triage_level: 'routine', person_facts: [], interview: [] });
    expect(json.result.possible_causes).toMatchObject([
      { rank: 1, condition: 'Migraine', reasons: [], sources: [{ title: 'NHS: Migraine' }] },
      { rank: 2, condition: 'Tension headache', reasons: [], sources: [] },
    ]);
    const none = await send(gateway, 'GET', `/assessments/${ids.withoutCauses}/`, undefined, me.access);
    expect(none.json.result).toMatchObject({ possible_causes: [], interview: [] });
    const failed = await send(gateway, 'GET', `/assessments/${ids.withoutResult}/`, undefined, me.access);
    expect(failed).toMatchObject({ status: 200, json: { status: 'failed', result: null } });
    const list = await send(gateway, 'GET', '/assessments/', undefined, me.access);
    expect(list.json.map((one: { id: string }) => one.id).sort()).toEqual(Object.values(ids));
  });

  test('are answered by the graph, where the new lists are not null', async () => {
    const { json } = await gateway.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${me.access}` },
      body: JSON.stringify({
        query: `{ healthViewer { assessments(first: 5) { nodes {
            uuid result { triageLevel personFacts interview { question } possibleCauses { condition reasons } } } } } }`,
      }),
    });
    expect(json.errors).toBeUndefined();
    const nodes: { uuid: string; result: unknown }[] = json.data.healthViewer.assessments.nodes;
    const resultOf = (id: string): unknown => nodes.find(one => one.uuid === id)?.result;
    expect(resultOf(ids.full)).toMatchObject({
      personFacts: [],
      interview: [],
      possibleCauses: [
        { condition: 'Migraine', reasons: [] },
        { condition: 'Tension headache', reasons: [] },
      ],
    });
    expect(resultOf(ids.withoutCauses)).toMatchObject({ possibleCauses: [], interview: [] });
    expect(resultOf(ids.withoutResult)).toBeNull();
  });

  test('are not changed by a second run', async () => {
    const result = sql<{ result: unknown }>`select result from assessment order by id`;
    const { rows } = await result.execute(gateway.database.sql);
    await sql`delete from mikro_orm_migrations where name = '036-assessment-interviews'`.execute(gateway.database.sql);
    expect(await migrate(gateway.database)).toEqual(['036-assessment-interviews']);
    expect((await result.execute(gateway.database.sql)).rows).toEqual(rows);
  });
});
