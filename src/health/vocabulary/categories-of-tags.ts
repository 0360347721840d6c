import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Concept, conceptsOf } from './concepts.ts';

interface CategorySubjects {
  names: string[];
  subjects: string[];
}

const { categories: written } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'category-subjects.json'), 'utf8'),
) as {
  categories: Record<string, CategorySubjects>;
};

/** By the stem of a word of a tag: a tag of a feed may be «constructor». */
const categories = new Map(Object.entries(written));

/** Tags that are looked at, and categories that an article gets from them. */
const limits = { tags: 20, categories: 3 } as const;

/**
 * The categories that tags name: by their own name, by another name of them, or by a subject that belongs to them. The ones of most
 * tags first.
 */
export function categoriesOfTags<Category extends { name: string }>(
  listed: readonly Category[],
  tags: readonly string[],
): Category[] {
  const ofTags = tags.slice(0, limits.tags).map(tag => conceptsOf(tag));
  return listed
    .map(category => ({ category, tags: ofTags.filter(concepts => namesCategory(concepts, category.name)).length }))
    .filter(one => one.tags > 0)
    .sort((one, other) => other.tags - one.tags)
    .slice(0, limits.categories)
    .map(({ category }) => category);
}

function namesCategory(tag: readonly Concept[], name: string): boolean {
  const wanted = conceptsOf(name);
  if (wanted.length === 0) return false;
  if (saysEach(tag, wanted)) return true;
  const known = wanted.flatMap(({ own }) => own.map(stem => categories.get(stem))).find(one => one !== undefined);
  if (!known) return false;
  return (
    tag.some(({ kind, subjects }) => kind === 'name' && subjects.some(subject => known.subjects.includes(subject))) ||
    known.names.some(other => saysEach(tag, conceptsOf(other)))
  );
}

/** Whether a tag says every concept of a name. */
const saysEach = (tag: readonly Concept[], name: readonly Concept[]): boolean =>
  name.every(({ own }) => own.every(stem => tag.some(one => one.own.includes(stem))));
