import type { Span } from './negation.ts';
import type { Word } from './tokenize.ts';

/** A compiled frame; atoms are numbers of classes and words. */
export interface Frame {
  id: string;
  /** Of each part one atom must be there. */
  parts: number[][];
  /** None of these may be in the sentence. */
  without: number[];
  isException: boolean;
  /** Maximum words between the first part and each other one. */
  distance: number;
}

/** Words of a text that are members of classes. */
export interface Hit extends Span {
  atoms: readonly number[];
}

/** A negation this near before a part takes it back. */
export const maxNegationDistance = 3;
/** Words around the first part in which the others are looked for, and what excludes the frame. */
const reach = 16;

/** The hits around one of them, itself first. Their number does not depend on the length of the text. */
export function hitsNear(hits: readonly Hit[], at: number): Hit[] {
  const anchor = hits[at];
  if (!anchor) return [];
  const near = [anchor];
  for (const step of [1, -1])
    for (let next = at + step; ; next += step) {
      const one = hits[next];
      if (!one || distanceOf(anchor, one) > reach) break;
      near.push(one);
    }
  return near;
}

/**
 * The hits of all parts, in the order of the text: for each part the nearest to the first one, which is the first of `near`, that no
 * other part has, in its clause if there is one.
 */
export function partsOf(frame: Frame, words: readonly Word[], [anchor, ...others]: readonly Hit[]): Hit[] | undefined {
  if (!anchor) return undefined;
  const taken = [anchor];
  for (const part of frame.parts.slice(1)) {
    let best: Hit | undefined;
    let least = Infinity;
    for (const one of others) {
      const apart = distanceOf(anchor, one);
      if (apart > frame.distance || !one.atoms.some(atom => part.includes(atom))) continue;
      if (taken.some(other => overlap(one, other))) continue;
      const distance = apart + (isSameClause(words, anchor, one) ? 0 : frame.distance);
      if (distance < least) [best, least] = [one, distance];
    }
    if (!best) return undefined;
    taken.push(best);
  }
  return taken.sort((a, b) => a.start - b.start);
}

const overlap = (one: Hit, other: Hit): boolean => one.start < other.end && one.end > other.start;
const distanceOf = (one: Hit, other: Hit): number => Math.max(other.start - one.end, one.start - other.end, 0);

function isSameClause(words: readonly Word[], one: Hit, other: Hit): boolean {
  for (let at = Math.min(one.start, other.start) + 1; at < Math.max(one.end, other.end); at++)
    if (words[at]?.gap === 'comma') return false;
  return true;
}

/** «Not» is a part of what follows soon in its clause: «no wee since noon», and not «no fever, weeing a lot». */
export function governs(words: readonly Word[], { end }: Hit, next: Hit | undefined): boolean {
  if (!next || next.start - end > maxNegationDistance) return false;
  for (let at = end; at <= next.start; at++) if (words[at]?.gap === 'comma') return false;
  return true;
}

/** Whether the clauses of the parts have a word that the frame excludes. */
export function isExcluded(
  { without }: Frame,
  words: readonly Word[],
  parts: readonly Hit[],
  near: readonly Hit[],
): boolean {
  if (without.length === 0) return false;
  let [from, to] = [parts[0]?.start ?? 0, parts.at(-1)?.end ?? 0];
  const [first, last] = [from - reach, to + reach];
  while (from > first && words[from]?.gap === 'none') from--;
  while (to < last && words[to]?.gap === 'none') to++;
  return near.some(one => one.start >= from && one.start < to && one.atoms.some(atom => without.includes(atom)));
}
