import type { Keys } from '../src/auth/keys.ts';
import type { Planting } from '../src/db/plant.ts';
import { plantArticles } from './health/articles.ts';
import { plantPeople } from './health/people.ts';
import { plantHosting } from './hosting/plant.ts';

/** The small believable world of a first start. */
export function demoWorld(keys: Keys, now: Date): Planting {
  return {
    name: 'demo',
    async plant(em) {
      plantArticles(em);
      await plantPeople(em, keys, now);
      await em.flush();
      await plantHosting(em, keys, now);
    },
  };
}
