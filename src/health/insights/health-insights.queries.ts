import { type RawBuilder, sql } from 'kysely';
import type {
  ArticleViewCounts,
  AssessmentDayCounts,
  CompanionAnswerCounts,
  RegistrationCounts,
} from '../../../schema/health/health-insights.ts';
import type { Context } from '../../context/context.ts';
import type { CountedMetric } from './count-day.ts';

type Reader = Pick<Context, 'read'>;

/** Days of a period, as `YYYY-MM-DD`; both are part of it. */
export interface DayRange {
  from: string;
  to: string;
}

/** Categories that the cost of a query counts. The operator makes them; there are a dozen. */
export const maxCategories = 50;

/** SQL condition over `c` (health_day_count), which its primary key serves. */
const within = (metric: CountedMetric, { from, to }: DayRange): RawBuilder<unknown> =>
  sql`c.metric = ${sql.lit(metric)} and c.day between ${from}::date and ${to}::date`;

export async function lastCountedDay({ read }: Reader, { from, to }: DayRange): Promise<string | null> {
  const [found] = await read(sql<{ day: string | null }>`
    select max(day)::text as day from health_insight_day where day between ${from}::date and ${to}::date`);
  return found?.day ?? null;
}

export const articleViewsByDay = ({ read }: Reader, range: DayRange): Promise<ArticleViewCounts[]> =>
  read(sql<ArticleViewCounts>`
    select c.day::text as day, k.slug as "categorySlug", c.events as "viewCount"
    from health_day_count c join category k on k.id = c.key::bigint
    where ${within('article_view', range)} order by c.day, k.slug`);

export const registrationsByDay = ({ read }: Reader, range: DayRange): Promise<RegistrationCounts[]> =>
  read(sql<RegistrationCounts>`
    select c.day::text as day, c.events as "accountCount" from health_day_count c
    where ${within('registration', range)} order by c.day`);

export const companionAnswersByDay = ({ read }: Reader, range: DayRange): Promise<CompanionAnswerCounts[]> =>
  read(sql<CompanionAnswerCounts>`
    select c.day::text as day, c.key as level, c.events as "answerCount" from health_day_count c
    where ${within('companion_answer', range)} order by c.day, c.key`);

export const assessmentsByDay = ({ read }: Reader, range: DayRange): Promise<AssessmentDayCounts[]> =>
  read(sql<AssessmentDayCounts>`
    select c.day::text as day, c.key as "triageLevel", c.events as "assessmentCount" from health_day_count c
    where ${within('assessment', range)} order by c.day, c.key`);
