import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';

/**
 * DataLoader batch: bodies of the articles of a list; an error for a body beyond the size budget of the request.
 * Separate from the rows of the list, because PostgreSQL returns the length of a stored text without reading it, and
 * only what fits is read.
 */
export const loadBodies = (context: Pick<Context, 'read' | 'largeValues'>, ids: readonly number[]) =>
  bodiesOf('article', context, ids);

/** The same for revisions. */
export const loadRevisionBodies = (context: Pick<Context, 'read' | 'largeValues'>, ids: readonly number[]) =>
  bodiesOf('article_revision', context, ids);

function bodiesOf(
  table: 'article' | 'article_revision',
  { read, largeValues }: Pick<Context, 'read' | 'largeValues'>,
  ids: readonly number[],
): Promise<(string | Error)[]> {
  return largeValues.read(async left => {
    const rows = await read(sql<{ id: number; bytes: number; body: string | null }>`
      select s.id, s.bytes, case when s.total <= ${left}::bigint then a.body end as body
      from (select id, octet_length(body) as bytes, sum(octet_length(body)) over (order by id) as total
        from ${sql.ref(table)} where id = any(${[...ids]}::bigint[])) s
      join ${sql.ref(table)} a on a.id = s.id`);
    const bodies = new Map(rows.map(({ id, body }) => [id, body]));
    const bytes = rows.reduce((sum, row) => (row.body === null ? sum : sum + row.bytes), 0);
    return { value: ids.map(id => bodies.get(id) ?? largeValues.tooLarge()), bytes };
  });
}
