import { sql } from 'kysely';
import type { ArticleRevision } from '../../../schema/health/article-revision.ts';
import type { Context } from '../../context/context.ts';
import { isVisible } from './articles.queries.ts';

/** Revision without its body, which `loadRevisionBodies` reads. */
export type RevisionRow = Pick<ArticleRevision, 'headline' | 'summary' | 'publishedAt' | 'replacedAt'> & {
  databaseId: number;
};

/** Revisions of an article that are listed, the newest first. */
export const maxRevisions = 20;

const columns = sql`r.id::int as "databaseId", r.headline, r.summary, r.published_at as "publishedAt", r.replaced_at as "replacedAt"`;

/** DataLoader batch: the newest revisions of each article. */
export async function revisionsOfArticles(
  { read }: Pick<Context, 'read'>,
  ids: readonly number[],
): Promise<RevisionRow[][]> {
  const rows = await read(sql<RevisionRow & { of: number }>`
    select wanted.id as of, ${columns}
    from unnest(${[...ids]}::bigint[]) as wanted(id)
    cross join lateral (
      select * from article_revision where article_id = wanted.id order by id desc limit ${maxRevisions}
    ) r
    order by r.id desc`);
  const byArticle = new Map<number, RevisionRow[]>(ids.map(id => [id, []]));
  for (const row of rows) byArticle.get(row.of)?.push(row);
  return ids.map(id => byArticle.get(id) ?? []);
}

/** Revisions of published articles, in the order of `ids`; null for others. */
export async function revisionsByIds(context: Context, ids: readonly number[]): Promise<(RevisionRow | null)[]> {
  const rows = await context.read(sql<RevisionRow>`
    select ${columns} from article_revision r join article a on a.id = r.article_id
    where r.id = any(${[...ids]}::bigint[]) and ${isVisible(context)}`);
  const byId = new Map(rows.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}
