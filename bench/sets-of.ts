import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rules are made with the tuning half, and measured with the held-out half and with texts that came later. */
const halves = ['tuning', 'held-out', 'fresh-b', 'fresh-c', 'fresh-d', 'fresh-e'];

/** The halves of a set that are there; `only` one of them if it is given. */
export function setsOf<Item>(name: string, only?: string): { half: string; items: Item[] }[] {
  return halves
    .filter(half => only === undefined || half === only)
    .flatMap(half => {
      const file = join(import.meta.dirname, 'sets', `${name}.${half}.json`);
      return existsSync(file) ? [{ half, items: JSON.parse(readFileSync(file, 'utf8')) as Item[] }] : [];
    });
}

/** What is wrong in a half, by id: told of the tuning half alone, so that the others are not read. */
export const wrongIds = (half: string, ids: readonly string[]): string =>
  half === 'tuning' ? ids.join(', ') || 'none' : `${ids.length}, not named`;
