import { beforeAll, describe, expect, test } from '@jest/globals';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { createAccounts, type TestAccount } from '../../harness/accounts.ts';
import { testGateway } from '../../harness/gateway.ts';
import { send } from '../../harness/people.ts';

const now = '2026-11-01T12:00:00Z';
const rows = 100_000;
const people = 500;
// Inserting the rows may take half a minute on a busy machine.
const gateway = await testGateway({ data: 'empty', now, settings: { STATEMENT_TIMEOUT_MS: '60000' } });
const [reader] = (await createAccounts(gateway, people)) as [TestAccount];
const large = ['vital_reading', 'symptom_log', 'assessment', 'health_goal'];

interface Planned {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Planned[];
}

const sent: { text: string; values: readonly unknown[] }[] = [];

beforeAll(async () => {
  // The same number for every person, spread over the last year.
  const at = sql`${now}::timestamptz - (n / ${people}) * interval '43 hours' - (n % 1000) * interval '7 minutes'`;
  const each = (count: number) => sql`generate_series(0, ${count - 1}) n
    join (select id, row_number() over (order by id) - 1 as place from users) u on u.place = n % ${people}`;
  for (const statement of [
    sql`insert into vital_reading (user_id, systolic_bp, diastolic_bp, heart_rate, weight_kg, steps, measured_at, created_at)
      select u.id, 110 + n % 60, 70 + n % 30, 55 + n % 50, case when n % 4 = 0 then 60 + n % 40 end, n % 9000, ${at}, ${at}
      from ${each(rows)}`,
    sql`insert into symptom_log (user_id, symptom_name, severity, logged_at, created_at)
      select u.id, (array['headache', 'cough', 'fatigue', 'rash'])[1 + (n / 7) % 4], 1 + n % 10, ${at}, ${at}
      from ${each(rows)}`,
    sql`insert into assessment (id, user_id, reported, triage_level, urgency, severity, status, created_at)
      select gen_random_uuid(), u.id, array['fever'], 'routine', 'low', 3, 'completed', ${at} from ${each(rows / 5)}`,
    sql`insert into health_goal (user_id, goal_type, target_value, unit, start_date, created_at, updated_at)
      select u.id, 'weight', 60, 'kg', '2026-01-01', ${at}, ${at} from ${each(rows / 10)}`,
    sql`analyze`,
  ]) {
    await statement.execute(gateway.database.sql);
  }
});

/** The plan nodes of a statement, from the outside in. */
async function planOf(text: string, values: readonly unknown[] = []): Promise<Planned[]> {
  const found = await gateway.database.sql.executeQuery<{ 'QUERY PLAN': { Plan: Planned }[] }>(
    CompiledQuery.raw(`explain (format json) ${text}`, [...values]),
  );
  return found.rows.flatMap(row => row['QUERY PLAN'].flatMap(({ Plan }) => flat(Plan)));
}

function flat(plan: Planned): Planned[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)];
}

describe.each([
  ['/health/dashboard/', 5],
  ['/health/goals/', 1],
  ['/health/goals/?ordering=target_value&search=x', 2],
  ['/health/vitals/', 2],
  ['/health/vitals/?ordering=created_at&page=3', 2],
  ['/health/vitals/?from=2026-10-01&to=2026-10-15', 2],
  ['/health/symptoms/', 2],
  ['/health/symptoms/?ordering=-severity', 2],
  ['/health/symptoms/?ordering=symptom_name', 2],
  ['/health/symptoms/?search=cough&from=2026-10-01', 2],
  ['/health/summaries/', 2],
  ['/health/summaries/latest/', 1],
])('GET %s', (path, budget) => {
  test(`takes ${budget} statements, and none reads a large table from one end to the other`, async () => {
    sent.length = 0;
    const original = pg.Client.prototype.query;
    // The parameters are needed too, which the statement counter does not record.
    const spied = function (this: pg.Client, ...args: unknown[]) {
      const [first, second] = args as [string | { text: string; values?: unknown[] }, unknown[]?];
      const text = typeof first === 'string' ? first : first.text;
      const values = typeof first === 'string' ? second : first.values;
      if (large.some(table => text.includes(table))) sent.push({ text, values: values ?? [] });
      return original.apply(this, args as never);
    };
    pg.Client.prototype.query = spied as never;
    try {
      const { status } = await send(gateway, 'GET', path, undefined, reader.access);
      expect(status).toBe(200);
    } finally {
      pg.Client.prototype.query = original;
    }
    expect(sent).toHaveLength(budget);
    for (const { text, values } of sent) {
      const whole = (await planOf(text, values)).filter(
        one => one['Node Type'].includes('Seq Scan') && large.includes(one['Relation Name'] ?? ''),
      );
      expect({ text: whole.length > 0 ? text : '', whole }).toEqual({ text: '', whole: [] });
    }
  });
});

test('a sequential scan would be detected', async () => {
  const plan = await planOf('select * from vital_reading where steps = 5');
  expect(plan.map(one => one['Node Type'])).toContain('Seq Scan');
});
