import { type RawBuilder, sql } from 'kysely';
import { ModerationEvent } from '../../../schema/health/moderation-event.ts';
import { Report } from '../../../schema/health/report.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf, type SelectList } from '../../db/columns-of.ts';
import type { KeysetSlice, KeysetSource } from '../../db/keyset-connection.ts';
import type { Selection } from '../../db/selection.ts';
import { forbidden } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { personCard } from '../people/person-card.ts';

export type ReportRow = Omit<Report, 'reporterId' | 'commentId' | 'messageId' | 'accusedId'> & { databaseId: number };
export type ModerationEventRow = Omit<ModerationEvent, 'moderatorId' | 'personId' | 'reportId'> & {
  databaseId: number;
};

type Dependencies = Pick<Context, 'actor' | 'origin' | 'read'>;
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

function keysetSource<Row>(
  { actor, origin, read }: Dependencies,
  [table, list]: readonly [string, SelectList<Viewer>],
  condition: RawBuilder<unknown>,
  { after, before, isBackward }: KeysetSlice,
): KeysetSource<Row> {
  const from = sql`${sql.table(table)} r where ${condition} and ${isModerator(actor)}`;
  return {
    rows: ({ limit, wanted }) =>
      read(sql<Row>`select ${list(wanted, { origin })} from ${from}
        and (${after}::bigint is null or r.id < ${after}) and (${before}::bigint is null or r.id > ${before})
        order by r.id ${sql.raw(isBackward ? 'asc' : 'desc')} limit ${limit + 1}`),
    async total() {
      const [found] = await read(sql<{ total: number }>`select count(*)::int as total from ${from}`);
      return found?.total ?? 0;
    },
  };
}

/** Reports that wait for a decision, or all, the newest first. */
export const reports = (context: Dependencies, openOnly: boolean, slice: KeysetSlice): KeysetSource<ReportRow> =>
  keysetSource(context, ['report', reportSelectList], openOnly ? sql`r.closed_at is null` : sql`true`, slice);

/** The audit trail, the newest first. */
export const moderationEvents = (context: Dependencies, slice: KeysetSlice): KeysetSource<ModerationEventRow> =>
  keysetSource(context, ['moderation_event', eventSelectList], sql`true`, slice);

async function byIds<Row extends { databaseId: number }>(
  { actor, origin, read }: Dependencies,
  [table, list]: readonly [string, SelectList<Viewer>],
  ids: readonly number[],
  wanted: Selection,
): Promise<(Row | null)[]> {
  const found = await read(sql<Row>`select ${list(wanted, { origin })} from ${sql.table(table)} r
    where r.id = any(${[...ids]}::bigint[]) and ${isModerator(actor)}`);
  const rows = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => rows.get(id) ?? null);
}

/** The reports with these numbers, in their order, for moderators; null for the others. */
export const findReports = (context: Dependencies, ids: readonly number[], wanted: Selection) =>
  byIds<ReportRow>(context, ['report', reportSelectList], ids, wanted);

/** The entries of the audit trail with these numbers, in their order, for moderators; null for the others. */
export const findModerationEvents = (context: Dependencies, ids: readonly number[], wanted: Selection) =>
  byIds<ModerationEventRow>(context, ['moderation_event', eventSelectList], ids, wanted);

/** @throws forbidden when the rights were removed after the request was authenticated */
export async function assertModerator(
  db: Parameters<RawBuilder<unknown>['execute']>[0],
  userId: number,
): Promise<void> {
  const found = await sql`select from users where id = ${userId} and is_moderator for share`.execute(db);
  if (found.rows.length === 0) throw forbidden();
}
