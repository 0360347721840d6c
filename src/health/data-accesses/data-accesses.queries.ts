import { type RawBuilder, sql } from 'kysely';
import { DataAccess } from '../../../schema/health/data-access.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { tablePage } from '../lists/table-page.ts';

/** Reads of the data of a person; never by whom. */
export type DataAccessRow = Omit<DataAccess, 'userId' | 'readerId'>;

type Dependencies = Pick<Context, 'actor' | 'now' | 'read'>;

/** Days after which a person sees reads for moderation. */
const withheldDays = 30;

const accessSelectList = columnsOf(DataAccess, 'd', {
  always: ['id'],
  computed: { reader: "case when d.reader_id is null then 'operator' else 'moderator' end" },
});

/**
 * What a person sees of the reads of their data. Those for moderation come later: at once they would tell people that somebody has reported
 * them, and in a chat of two also who.
 */
const isShownTo = (userId: number, now: Date): RawBuilder<boolean> => sql`d.user_id = ${userId}
  and (d.subject <> 'moderation' or d.read_on < ${now.toISOString()}::timestamptz::date - ${withheldDays}::int)`;

/** Pages of the reads of the caller's data, the newest first. */
export function dataAccesses({ actor, now, read }: Dependencies): ListSource<DataAccessRow> {
  return tablePage(read, {
    select: wanted => accessSelectList(wanted),
    from: sql.raw('data_access d'),
    where: [isShownTo(requirePerson(actor).userId, now())],
    order: sql.raw('d.id desc'),
  });
}

/** Those with these numbers, in their order; null for the others. */
export async function findDataAccesses(
  { actor, now, read }: Dependencies,
  ids: readonly number[],
  wanted: Selection,
): Promise<(DataAccessRow | null)[]> {
  const found = await read(sql<DataAccessRow>`select ${accessSelectList(wanted)} from data_access d
    where d.id = any(${[...ids]}::bigint[]) and ${isShownTo(requirePerson(actor).userId, now())}`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** All that a person sees of the reads of their data, for the data export. */
export const allDataAccesses = ({ now, read }: Omit<Dependencies, 'actor'>, userId: number): Promise<DataAccessRow[]> =>
  read(sql<DataAccessRow>`select ${accessSelectList('all')} from data_access d
    where ${isShownTo(userId, now())} order by d.id desc`);
