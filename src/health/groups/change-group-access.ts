import { sql } from 'kysely';
import type { GroupVisibility } from '../../../schema/health/group-visibility.ts';
import type { Context } from '../../context/context.ts';
import { isUniqueViolation } from '../../db/sql-state.ts';
import { invalidInput } from '../../errors/errors.ts';
import { requirePerson } from '../accounts/require-person.ts';
import { assertOwner, type GroupReference } from './group-reference.ts';

export interface GroupAccess {
  visibility?: GroupVisibility | null;
  sharesHistory?: boolean | null;
}

/**
 * Changes who finds and joins a group of the caller, and what those who join from now on can read. Members stay and keep what they can
 * read. A community group and its chat change together.
 * @throws notFound; forbidden unless the caller owns the group; field errors
 */
export async function changeGroupAccess(
  context: Pick<Context, 'actor' | 'transaction'>,
  group: GroupReference,
  { visibility, sharesHistory }: GroupAccess,
): Promise<void> {
  const { userId } = requirePerson(context.actor);
  const change = context.transaction(async db => {
    await assertOwner(db, group, userId);
    const isOfCommunity =
      await sql`select from chat_group where id::text = ${group.id}::text and community_id is not null`.execute(db);
    if (visibility && isOfCommunity.rows.length > 0) {
      throw invalidInput({ visibility: ['The chat of a community group has the visibility of the group.'] });
    }
    if (visibility && group.kind === 'community') {
      await sql`update community_group set visibility = ${visibility} where id = ${group.id}`.execute(db);
    }
    const chat = group.kind === 'chat' ? sql`id = ${group.id}` : sql`community_id = ${group.id}`;
    await sql`update chat_group set visibility = coalesce(${visibility ?? null}, visibility),
      shares_history = coalesce(${sharesHistory ?? null}, shares_history) where ${chat}`.execute(db);
  });
  await change.catch((error: unknown) => {
    throw isUniqueViolation(error, 'community_group_name')
      ? invalidInput({ visibility: ['Another group that is not secret has this name.'] })
      : error;
  });
}
