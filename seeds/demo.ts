import type { Kysely } from 'kysely';
import type { Keys } from '../src/auth/keys.ts';
import type { Planting } from '../src/db/plant.ts';
import { plantAds } from './health/ads.ts';
import { plantArticles } from './health/articles.ts';
import { plantAssessments } from './health/assessments.ts';
import { plantPeople } from './health/people.ts';

/** The small believable world of a first start. */
export function demoWorld(keys: Keys, now: Date): Planting {
  return {
    name: 'demo',
    async plant(em) {
      plantArticles(em);
      await plantPeople(em, keys, now);
      await em.flush();
      const db = em.getKysely() as unknown as Kysely<unknown>;
      await plantAds(db, now);
      await plantAssessments(db, now);
    },
  };
}
