import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The halves of a set that are there: the rules are made with one, and measured with the other. */
export function setsOf<Item>(name: string): { half: string; items: Item[] }[] {
  return ['tuning', 'held-out'].flatMap(half => {
    const file = join(import.meta.dirname, 'sets', `${name}.${half}.json`);
    return existsSync(file) ? [{ half, items: JSON.parse(readFileSync(file, 'utf8')) as Item[] }] : [];
  });
}
