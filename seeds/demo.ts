import type { Kysely } from 'kysely';
import type { Keys } from '../src/auth/keys.ts';
import type { Planting } from '../src/db/plant.ts';
import { refreshLexemes } from '../src/health/articles/lexemes.ts';
import { plantArticleActivity } from './health/article-activity.ts';
import { plantArticles } from './health/articles.ts';
import { plantPeople } from './health/people.ts';

/** The small believable world of a first start. */
export function demoWorld(keys: Keys, now: Date): Planting {
  return {
    name: 'demo',
    async plant(em) {
      const articles = plantArticles(em);
      const people = await plantPeople(em, keys, now);
      plantArticleActivity(em, articles, people, now);
      await em.flush();
      await refreshLexemes(em.getKysely() as unknown as Kysely<unknown>);
    },
  };
}
