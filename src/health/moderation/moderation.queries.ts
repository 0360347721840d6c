import { type RawBuilder, sql } from 'kysely';
import { ModerationEvent } from '../../../schema/health/moderation-event.ts';
import { Report } from '../../../schema/health/report.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf, type SelectList } from '../../db/columns-of.ts';
import type { KeysetSlice, KeysetSource } from '../../db/keyset-connection.ts';
import type { Selection } from '../../db/selection.ts';
import { forbidden } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import {
  type ReadData,
  readModerationEvents,
  readReports,
  recordModeratorRead,
} from '../data-accesses/record-data-accesses.ts';
import { personCard } from '../people/person-card.ts';

export type ReportRow = Omit<Report, 'reporterId' | 'commentId' | 'messageId' | 'accusedId'> & { databaseId: number };
export type ModerationEventRow = Omit<ModerationEvent, 'moderatorId' | 'personId' | 'reportId'> & {
  databaseId: number;
};

type Dependencies = Pick<Context, 'actor' | 'now' | 'origin' | 'read' | 'transaction'>;
type Viewer = Pick<Context, 'origin'>;

const card = (key: string, origin: string): RawBuilder<unknown> =>
  sql`(select ${personCard('u', origin)} from (select ${sql.ref(key)} as id) k left join users u on u.id = k.id)`;
const cardOrNull = (key: string, origin: string): RawBuilder<unknown> =>
  sql`(select ${personCard('u', origin)} from users u where u.id = ${sql.ref(key)})`;

const reportSelectList = columnsOf<Report, Viewer>(Report, 'r', {
  always: ['id', 'databaseId'],
  computed: {
    reporter: ({ origin }) => card('r.reporter_id', origin),
    accused: ({ origin }) => card('r.accused_id', origin),
  },
});

const eventSelectList = columnsOf<ModerationEvent, Viewer>(ModerationEvent, 'r', {
  always: ['id', 'databaseId'],
  computed: {
    moderator: ({ origin }) => cardOrNull('r.moderator_id', origin),
    person: ({ origin }) => cardOrNull('r.person_id', origin),
  },
});

/** Condition beside the access scope, which is decided before: the caller is a moderator at this moment. */
export function isModerator(actor: Context['actor']): RawBuilder<boolean> {
  const { userId } = requirePerson(actor);
  return sql`exists (select from users m where m.id = ${userId} and m.is_moderator)`;
}

/** A table that moderators read, and whose data its rows are. */
interface ModeratedTable {
  name: string;
  /** Condition on the row `r`: this moderator may read it. */
  isShownTo(moderatorId: number): RawBuilder<unknown>;
  list: SelectList<Viewer>;
  readData(ids: readonly number[]): ReadData[];
}

const reportTable: ModeratedTable = {
  name: 'report',
  list: reportSelectList,
  // Who reports a moderator is not known to that one.
  isShownTo: moderatorId => sql`r.accused_id is distinct from ${moderatorId}`,
  readData: readReports,
};
const eventTable: ModeratedTable = {
  name: 'moderation_event',
  list: eventSelectList,
  isShownTo: () => sql`true`,
  readData: readModerationEvents,
};

async function recorded<Row extends { databaseId: number }>(
  context: Dependencies,
  { readData }: ModeratedTable,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length > 0) await recordModeratorRead(context, readData(rows.map(row => row.databaseId)));
}

function keysetSource<Row extends { databaseId: number }>(
  context: Dependencies,
  table: ModeratedTable,
  condition: RawBuilder<unknown>,
  { after, before, isBackward }: KeysetSlice,
): KeysetSource<Row> {
  const { actor, origin, read } = context;
  const from = sql`${sql.table(table.name)} r where ${condition} and ${isModerator(actor)}
    and ${table.isShownTo(requirePerson(actor).userId)}`;
  return {
    async rows({ limit, wanted }) {
      const rows = await read(sql<Row>`select ${table.list(wanted, { origin })} from ${from}
        and (${after}::bigint is null or r.id < ${after}) and (${before}::bigint is null or r.id > ${before})
        order by r.id ${sql.raw(isBackward ? 'asc' : 'desc')} limit ${limit + 1}`);
      await recorded(context, table, rows.slice(0, limit));
      return rows;
    },
    async total() {
      const [found] = await read(sql<{ total: number }>`select count(*)::int as total from ${from}`);
      return found?.total ?? 0;
    },
  };
}

/** Reports that wait for a decision, or all, the newest first. */
export const reports = (context: Dependencies, openOnly: boolean, slice: KeysetSlice): KeysetSource<ReportRow> =>
  keysetSource(context, reportTable, openOnly ? sql`r.closed_at is null` : sql`true`, slice);

/** The audit trail, the newest first. */
export const moderationEvents = (context: Dependencies, slice: KeysetSlice): KeysetSource<ModerationEventRow> =>
  keysetSource(context, eventTable, sql`true`, slice);

async function byIds<Row extends { databaseId: number }>(
  context: Dependencies,
  table: ModeratedTable,
  ids: readonly number[],
  wanted: Selection,
): Promise<(Row | null)[]> {
  const { actor, origin, read } = context;
  const found = await read(sql<Row>`select ${table.list(wanted, { origin })} from ${sql.table(table.name)} r
    where r.id = any(${[...ids]}::bigint[]) and ${isModerator(actor)} and ${table.isShownTo(requirePerson(actor).userId)}`);
  await recorded(context, table, found);
  const rows = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => rows.get(id) ?? null);
}

/** The reports with these numbers, in their order, for moderators; null for the others. */
export const findReports = (context: Dependencies, ids: readonly number[], wanted: Selection) =>
  byIds<ReportRow>(context, reportTable, ids, wanted);

/** The entries of the audit trail with these numbers, in their order, for moderators; null for the others. */
export const findModerationEvents = (context: Dependencies, ids: readonly number[], wanted: Selection) =>
  byIds<ModerationEventRow>(context, eventTable, ids, wanted);

/** @throws forbidden when the rights were removed after the request was authenticated */
export async function assertModerator(
  db: Parameters<RawBuilder<unknown>['execute']>[0],
  userId: number,
): Promise<void> {
  const found = await sql`select from users where id = ${userId} and is_moderator for share`.execute(db);
  if (found.rows.length === 0) throw forbidden();
}
