import { type Kysely, sql } from 'kysely';

const dayMs = 24 * 60 * 60_000;
const days = 30;

/** Average counts of one day. Those of categories are views of articles. */
const patterns = [
  { metric: 'article_view', keys: { heart: 64, sleep: 48, 'mental-health': 72, nutrition: 39, diabetes: 31 } },
  { metric: 'registration', keys: { '': 18 } },
  { metric: 'companion_answer', keys: { none: 120, urgent: 16 } },
  { metric: 'assessment', keys: { self_care: 44, routine: 37, urgent: 15 } },
] as const;

/**
 * Seeds the counts of a month, as an installation with some hundred people a day has them: the demo data has fewer people than the
 * smallest count that is published.
 */
export async function seedDayCounts(db: Kysely<unknown>, now: Date): Promise<void> {
  for (let ago = days; ago >= 1; ago--) {
    const day = new Date(now.getTime() - ago * dayMs).toISOString().slice(0, 10);
    await sql`insert into health_insight_day (day) values (${day}::date)`.execute(db);
    // More on weekdays, and a slow growth.
    const share = (1 + 0.3 * Math.sin((ago / 7) * 2 * Math.PI)) * (1 - ago / 100);
    for (const { metric, keys } of patterns) {
      for (const [name, count] of Object.entries(keys)) {
        const events = Math.round(count * share);
        if (events < 10) continue;
        const key =
          metric === 'article_view' ? sql`(select id::text from category where slug = ${name})` : sql`${name}`;
        await sql`insert into health_day_count (metric, day, key, events)
          select ${metric}, ${day}::date, k.key, ${events}::int from (select ${key} as key) k where k.key is not null`.execute(
          db,
        );
      }
    }
  }
}
