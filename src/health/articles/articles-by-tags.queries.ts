import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isVisible } from './articles.queries.ts';

/** An article as further reading. */
export interface TaggedArticle {
  id: number;
  headline: string;
  sourceUrl: string | null;
}

/** What articles are looked up by: tags, and the names of a condition of which they must tell at least one. */
export interface TaggedSubject {
  tags: readonly string[];
  names: readonly string[];
}

/**
 * For each subject up to two articles that tell of it: those that have its name in the headline first, then most shared tags, then the
 * newest. A tag alone makes no source: «cough» led from bronchiolitis to an article on anxiety. One statement for all.
 */
export async function articlesByTags(
  context: Pick<Context, 'read' | 'now'>,
  subjects: readonly TaggedSubject[],
): Promise<TaggedArticle[][]> {
  const found: TaggedArticle[][] = subjects.map(() => []);
  const pairs = subjects.flatMap(({ tags }, list) => tags.map(tag => ({ list, tag })));
  const names = subjects.flatMap((subject, list) => subject.names.map(name => ({ list, name })));
  if (pairs.length === 0 || names.length === 0) return found;
  const rows = await context.read(sql<TaggedArticle & { list: number }>`
    with named as materialized (
      select list, phraseto_tsquery('english', name) as query
      from unnest(${names.map(one => one.list)}::int[], ${names.map(one => one.name)}::text[]) as named(list, name)
    )
    select list, id, headline, source_url as "sourceUrl" from (
      select wanted.list, a.id, a.headline, a.source_url, row_number() over (
        partition by wanted.list order by bool_or(to_tsvector('english', a.headline) @@ named.query) desc,
          count(distinct wanted.tag) desc, a.published_at desc, a.id desc) as place
      from unnest(${pairs.map(one => one.list)}::int[], ${pairs.map(one => one.tag)}::text[]) as wanted(list, tag)
      join article a on a.tags @> array[wanted.tag] and ${isVisible(context)}
      join named on named.list = wanted.list and a.search_vector @@ named.query
      group by wanted.list, a.id
    ) ranked where place <= 2 order by list, place`);
  for (const { list, ...article } of rows) found[list]?.push(article);
  return found;
}
