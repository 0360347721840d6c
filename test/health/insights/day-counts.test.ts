import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { buildToken } from '../../../src/auth/hosting-token.ts';
import { inTransaction } from '../../../src/db/database.ts';
import { countDays } from '../../../src/health/insights/count-day.ts';
import { insertCredential } from '../../../src/hosting/credentials/insert-credential.ts';
import { testGateway } from '../../harness/gateway.ts';
import { call } from '../../harness/hosting.ts';

const gateway = await testGateway({ data: 'empty', now: '2026-10-10T08:10:00Z' });
const { database } = gateway;
const db = database.sql;
const minted = buildToken('service', 'a'.repeat(36));
await inTransaction(database, inside => insertCredential(inside, { kind: 'service' }, gateway.clock.now, minted));

const count = (): Promise<void> => countDays(work => inTransaction(database, work), gateway.clock.now);

/** Adds people who joined at a time. Returns their ids. */
async function people(number: number, at: string, isGuest = false): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`insert into users (is_guest, is_active, date_joined, last_seen_at)
    select ${isGuest}, true, ${at}::timestamptz, ${at}::timestamptz from generate_series(1, ${number}) returning id`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

const assess = (users: readonly number[], at: string, level: string) =>
  sql`insert into assessment (id, user_id, symptoms, severity, status, triage_level, urgency, created_at)
    select gen_random_uuid(), u, '{headache}', 3, 'completed', ${level}, 'low', ${at}::timestamptz
    from unnest(${[...users]}::bigint[]) as u`.execute(db);

const answer = (users: readonly number[], at: string, level: string) =>
  sql`insert into companion_message (user_id, role, content, safety, created_at)
    select u, r, 'text', ${level}, ${at}::timestamptz
    from unnest(${[...users]}::bigint[]) as u, unnest(array['user', 'assistant']) as r`.execute(db);

async function insights(days = 30) {
  const query = `query($days: Int!) { healthInsights(days: $days) { from countedUntil
    articleViews { day categorySlug viewCount } registrations { day accountCount }
    companionAnswers { day level answerCount } assessments { day triageLevel assessmentCount } } }`;
  const body = { query, variables: { days } };
  const { json } = await call(gateway, 'POST', '/graphql', `Bearer ${minted.text}`, body);
  return json.errors ?? json.data.healthInsights;
}

describe('counts of a day', () => {
  test('are of ten people or more, of days that are over, and do not change', async () => {
    const ten = await people(10, '2026-10-08T00:00:00Z');
    const nine = await people(9, '2026-10-09T23:59:59Z');
    await people(20, '2026-10-09T12:00:00Z', true);
    await people(30, '2026-10-10T00:00:00Z');
    await assess(ten, '2026-10-08T12:00:00Z', 'urgent');
    await assess([...ten, ...ten], '2026-10-09T12:00:00Z', 'self_care');
    // Nine people with a hundred assessments are nine people.
    await assess(Array(12).fill(nine).flat(), '2026-10-09T12:00:00Z', 'emergency');
    await answer(ten, '2026-10-09T12:00:00Z', 'crisis');
    await answer([...nine, ...nine], '2026-10-09T12:00:00Z', 'none');
    const { rows } = await sql<{ id: number }>`insert into category (slug, name) values ('rest', 'Rest'), ('few', 'Few')
      returning id`.execute(db);
    await sql`insert into article_view_day (day, category_id, views)
      values ('2026-10-09', ${rows[0]?.id}, 10), ('2026-10-09', ${rows[1]?.id}, 9), ('2026-10-10', ${rows[0]?.id}, 70)`.execute(
      db,
    );
    expect(await insights()).toMatchObject({ from: '2026-09-10', countedUntil: null, assessments: [] });

    await count();
    const counted = {
      from: '2026-09-10',
      countedUntil: '2026-10-09',
      articleViews: [{ day: '2026-10-09', categorySlug: 'rest', viewCount: 10 }],
      registrations: [{ day: '2026-10-08', accountCount: 10 }],
      companionAnswers: [{ day: '2026-10-09', level: 'CRISIS', answerCount: 10 }],
      assessments: [
        { day: '2026-10-08', triageLevel: 'URGENT', assessmentCount: 10 },
        { day: '2026-10-09', triageLevel: 'SELF_CARE', assessmentCount: 20 },
      ],
    };
    expect(await insights()).toEqual(counted);

    // What is deleted or added later changes nothing: a difference would concern one person.
    await sql`delete from users where id = ${ten[0]}`.execute(db);
    await assess(nine, '2026-10-08T12:00:00Z', 'urgent');
    await Promise.all([count(), count()]);
    expect(await insights()).toEqual(counted);
    expect((await insights(1)).assessments).toEqual(counted.assessments.slice(1));

    gateway.clock.now = new Date('2026-10-11T00:20:00Z');
    await count();
    const next = await insights();
    expect(next.countedUntil).toBe('2026-10-10');
    expect(next.registrations).toEqual([...counted.registrations, { day: '2026-10-10', accountCount: 30 }]);
    expect(next.articleViews[1]).toEqual({ day: '2026-10-10', categorySlug: 'rest', viewCount: 70 });

    gateway.clock.now = new Date('2027-01-10T00:20:00Z');
    await count();
    const { rows: kept } = await sql<{ days: number; first: string }>`
      select count(*)::int as days, min(day)::text as first from health_insight_day`.execute(db);
    expect(kept[0]).toEqual({ days: 90, first: '2026-10-12' });
    expect((await sql`select 1 from health_day_count`.execute(db)).rows).toEqual([]);
  });

  test('no small count is stored', async () => {
    await expect(
      sql`insert into health_day_count (metric, day, key, events) values ('assessment', '2026-10-09', 'urgent', 9)`.execute(
        db,
      ),
    ).rejects.toThrow('health_day_count_minimum');
  });

  test.each([0, 91, -1])('of %d days are refused', async days => {
    expect(await insights(days)).toEqual([
      expect.objectContaining({
        message: 'days must be from 1 to 90.',
        extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }),
      }),
    ]);
  });
});
