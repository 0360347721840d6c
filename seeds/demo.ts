import type { Kysely } from 'kysely';
import type { Keys } from '../src/auth/keys.ts';
import type { Planting } from '../src/db/plant.ts';
import { refreshLexemes } from '../src/health/articles/lexemes.ts';
import { plantAds } from './health/ads.ts';
import { plantArticleActivity } from './health/article-activity.ts';
import { plantArticles } from './health/articles.ts';
import { plantAssessments } from './health/assessments.ts';
import { plantCommunity } from './health/community.ts';
import { plantMeasurements } from './health/measurements.ts';
import { plantPeople } from './health/people.ts';
import { plantHosting } from './hosting/plant.ts';

/** The small believable world of a first start. */
export function demoWorld(keys: Keys, now: Date): Planting {
  return {
    name: 'demo',
    async plant(em) {
      const articles = plantArticles(em);
      const people = await plantPeople(em, keys, now);
      plantArticleActivity(em, articles, people, now);
      await em.flush();
      await plantMeasurements(em, keys, now);
      await em.flush();
      const db = em.getKysely() as unknown as Kysely<unknown>;
      await refreshLexemes(db);
      await plantAds(db, now);
      await plantAssessments(db, now);
      await plantCommunity(em, now);
      await plantHosting(em, keys, now);
    },
  };
}
