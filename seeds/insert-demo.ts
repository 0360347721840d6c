import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { DerivedKeys } from '../src/auth/derived-keys.ts';
import { refreshLexemeFrequencies } from '../src/health/articles/lexeme-frequencies.ts';
import { seedAds } from './health/ads.ts';
import { seedArticleActivity } from './health/article-activity.ts';
import { seedArticles } from './health/articles.ts';
import { seedAssessments } from './health/assessments.ts';
import { seedCommunity } from './health/community.ts';
import { seedDayCounts } from './health/day-counts.ts';
import { seedMeasurements } from './health/measurements.ts';
import { seedPeople } from './health/people.ts';
import { seedHosting } from './hosting/seed-hosting.ts';

/** Inserts the demo data of every product. */
export async function insertDemo(em: EntityManager, keys: DerivedKeys, now: Date): Promise<void> {
  const articles = await seedArticles(em);
  const people = await seedPeople(em, keys, now);
  await em.flush();
  await seedArticleActivity(em, articles, people, now);
  await em.flush();
  await seedMeasurements(em, keys, now);
  await em.flush();
  const db = em.getKysely() as unknown as Kysely<unknown>;
  await refreshLexemeFrequencies(db);
  await seedAds(db, now);
  await seedAssessments(db, now);
  await seedCommunity(em, now);
  await seedDayCounts(db, now);
  await seedHosting(em, keys, now);
}
