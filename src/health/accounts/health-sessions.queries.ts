import { type RawBuilder, sql } from 'kysely';
import { Session } from '../../../schema/health/session.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import type { Selection } from '../../db/selection.ts';
import { tablePage } from '../lists/table-page.ts';
import { requirePerson } from './require-person.ts';

/** A session as its person sees it. */
export type HealthSessionRow = Omit<Session, 'userId' | 'endedAt' | 'endReason'>;

type Dependencies = Pick<Context, 'actor' | 'now' | 'read'>;

const sessionSelectList = columnsOf(Session, 's', {
  always: ['id'],
  computed: { isCurrent: ({ actor }: Pick<Context, 'actor'>) => sql`s.id = ${requirePerson(actor).sessionId}::uuid` },
});

/** Sessions that can still be used: not ended, and renewable, or renewed so lately that the access token is valid. */
const isOpen = ({ actor, now }: Omit<Dependencies, 'read'>): RawBuilder<boolean> => {
  const { userId, sessionId } = requirePerson(actor);
  const at = now().toISOString();
  return sql`s.user_id = ${userId} and s.ended_at is null and s.expires_at > ${at} and (s.id = ${sessionId}::uuid or exists (
    select from refresh_token t where t.session_id = s.id and t.rotated_at is null and t.expires_at > ${at}))`;
};

/** Pages of the caller's open sessions, the last used first. */
export function healthSessions(context: Dependencies): ListSource<HealthSessionRow> {
  return tablePage(context.read, {
    select: wanted => sessionSelectList(wanted, context),
    from: sql.raw('session s'),
    where: [isOpen(context)],
    order: sql.raw('s.last_used_at desc, s.id'),
  });
}

/** The caller's open sessions with these ids, in their order; null for the others. */
export async function findHealthSessions(
  context: Dependencies,
  ids: readonly string[],
  wanted: Selection,
): Promise<(HealthSessionRow | null)[]> {
  const found = await context.read(sql<HealthSessionRow>`select ${sessionSelectList(wanted, context)} from session s
    where s.id = any(${[...ids]}::uuid[]) and ${isOpen(context)}`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}
