import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { isVisible } from './articles.queries.ts';

/** An article as further reading. */
export interface TaggedArticle {
  id: number;
  headline: string;
  sourceUrl: string | null;
}

/** For each list of tags, up to two articles: most shared tags first, then the newest. One statement for all lists. */
export async function articlesByTags(
  context: Pick<Context, 'read' | 'now'>,
  lists: readonly (readonly string[])[],
): Promise<TaggedArticle[][]> {
  const found: TaggedArticle[][] = lists.map(() => []);
  const pairs = lists.flatMap((tags, list) => tags.map(tag => ({ list, tag })));
  if (pairs.length === 0) return found;
  const rows = await context.read(sql<TaggedArticle & { list: number }>`
    select list, id, headline, source_url as "sourceUrl" from (
      select wanted.list, a.id, a.headline, a.source_url, row_number() over (
        partition by wanted.list order by count(*) desc, a.published_at desc, a.id desc) as place
      from unnest(${pairs.map(one => one.list)}::int[], ${pairs.map(one => one.tag)}::text[]) as wanted(list, tag)
      join article a on a.tags @> array[wanted.tag] and ${isVisible(context)}
      group by wanted.list, a.id
    ) ranked where place <= 2 order by list, place`);
  for (const { list, ...article } of rows) found[list]?.push(article);
  return found;
}
