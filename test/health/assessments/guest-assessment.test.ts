import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createAccounts } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const gateway = await testGateway({ data: 'demo', logLevel: 'info' });
const { sql: db } = gateway.database;

/** Row counts of all tables, those of the job queue included. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`.execute(db);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.raw(name)}`.execute(db);
    counts[name] = rows[0]?.n ?? -1;
  }
  return counts;
}

const told = {
  subject: 'someone_else',
  blood_type: 'O-',
  allergies: 'Quinoaflakes',
  symptoms: ['Xyzzyplugh in the knee', 'chest pain'],
  symptom_duration: 'Fortnightish',
  has_other_symptoms: false,
  symptoms_trend: 'no change',
};

describe('POST /assessments/guest/', () => {
  test('returns the shape of a stored assessment and stores nothing', async () => {
    const [verified] = await createAccounts(gateway, 1);
    const guest = (await send(gateway, 'POST', '/auth/guest/')).json.access;
    const before = await rowCounts();
    expect(before['public.users']).toBeGreaterThan(0);
    gateway.lines.length = 0;
    const statements = await gateway.statements(async () => {
      for (const access of [undefined, guest, verified?.access]) {
        const body = { ...told, severity: 1, additional_notes: 'Frobnicate', user: 1, created_at: 'x' };
        const { status, json } = await send(gateway, 'POST', '/assessments/guest/', body, access);
        expect(status).toBe(201);
        expect(json).toMatchObject({
          ...told,
          for_whom: 'someone_else',
          symptoms: 'Xyzzyplugh in the knee, chest pain',
          symptom_list: told.symptoms,
          saved: false,
          status: 'completed',
          additional_notes: '',
          severity: 9,
          result: { triage_level: 'emergency', seek_emergency_care: true },
        });
        expect(typeof json.id).toBe('string');
        const again = await send(gateway, 'GET', `/assessments/${json.id}/`, undefined, verified?.access);
        expect(again.status).toBe(404);
      }
    });
    expect(await rowCounts()).toEqual(before);
    expect(statements.filter(text => !/^\s*(?:select|with)\b/i.test(text))).toEqual([]);
    const log = gateway.lines.join('').toLowerCase();
    expect(log).toContain('/assessments/guest/');
    for (const word of ['xyzzyplugh', 'quinoaflakes', 'fortnightish', 'frobnicate', 'chest', 'someone_else']) {
      expect(log).not.toContain(word);
    }
  });

  test('logs no input of refused requests or of GraphQL', async () => {
    gateway.lines.length = 0;
    const refused = await send(gateway, 'POST', '/assessments/guest/', { ...told, symptoms_trend: 'Zyxwards' });
    expect(refused).toMatchObject({ status: 400, json: { symptoms_trend: ['"Zyxwards" is not a valid choice.'] } });
    const { json } = await gateway.graphql(
      'mutation { assessSymptomsAsGuest(input: { symptoms: ["Xyzzyplugh", "fainted"] }) { assessment { id isSaved status result { triageLevel } } } }',
    );
    expect(json.data.assessSymptomsAsGuest.assessment).toMatchObject({
      isSaved: false,
      status: 'COMPLETED',
      result: { triageLevel: 'EMERGENCY' },
    });
    const log = gateway.lines.join('').toLowerCase();
    for (const word of ['xyzzyplugh', 'zyxwards', 'fainted']) expect(log).not.toContain(word);
  });

  test('requires symptoms, and refuses an invalid token', async () => {
    expect(await send(gateway, 'POST', '/assessments/guest/', {})).toMatchObject({
      status: 400,
      json: { symptoms: ['This field is required.'] },
    });
    expect(await send(gateway, 'POST', '/assessments/guest/', told, 'nonsense')).toMatchObject({
      status: 401,
      json: { code: 'token_not_valid' },
    });
  });
});
