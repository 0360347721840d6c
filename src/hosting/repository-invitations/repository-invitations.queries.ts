import { type RawBuilder, sql } from 'kysely';
import { RepositoryInvitation } from '../../../schema/hosting/repository-invitation.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { loginKey } from '../accounts/login.ts';
import { type OwnedRow, repositoryJoins, repositorySelectList } from '../repositories/repositories.queries.ts';
import { accessDecision, roleOfUser, visibleTo } from '../repositories/repository-access.ts';
import { repositoryKey } from '../repositories/repository-name.ts';

/** An invitation as selected: its ids, and the requested fields. */
export type RepositoryInvitationRow = Partial<RepositoryInvitation> &
  Pick<RepositoryInvitation, 'databaseId' | 'repositoryId' | 'accountId' | 'inviterId' | 'nameWithOwner'>;

type NowContext = Pick<Context, 'now'>;

const lifetimeDays = 7;

/** Invitations before this time are expired. */
const oldestValid = ({ now }: NowContext): Date => new Date(now().getTime() - lifetimeDays * 86_400_000);

/** SQL over `n`: the invitation is expired. */
export const isExpired = (context: NowContext): RawBuilder<boolean> =>
  sql<boolean>`n.created_at <= ${oldestValid(context)}::timestamptz`;

/**
 * SQL over `n`, `r` and `o`: the inviter administers the repository. An invitation ends with that, so that a removed administrator
 * adds no collaborators.
 */
export const isInviterStillAdmin = sql<boolean>`(n.inviter_id is null or ${roleOfUser(sql<number>`n.inviter_id`)} = 5)`;

/** The tables that `isInviterStillAdmin` and the columns need. */
export const invitationJoins = sql`repository_invitation n join repository r on r.id = n.repository_id
  join account o on o.id = r.owner_id`;

const invitationColumns = columnsOf<RepositoryInvitation, NowContext>(RepositoryInvitation, 'n', {
  always: ['databaseId', 'repositoryId', 'accountId', 'inviterId', 'nameWithOwner'],
  computed: {
    databaseId: 'n.id',
    permission: 'n.role',
    nameWithOwner: `o.login || '/' || r.name`,
    isExpired: { before: 'n.created_at <= ', parameter: oldestValid, after: '::timestamptz' },
  },
});

/** Invitations to many repositories, or of many users, oldest first. Who may read them is for the caller to check. */
export function repositoryInvitationsOf(
  context: Context,
  owner: 'repository' | 'account',
): BatchedSource<number, RepositoryInvitationRow> {
  const column = sql.ref(`n.${owner}_id`);
  return batchedTable(context.read, {
    keyType: 'bigint',
    select: wanted => invitationColumns(wanted, context),
    from: invitationJoins,
    where: key => [sql`${column} = ${key}`, isInviterStillAdmin],
    order: sql`n.id`,
  });
}

/** DataLoader batch function: invitations by number; null for those that the caller may not read. */
export async function repositoryInvitationsByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(RepositoryInvitationRow | null)[]> {
  const found = await context.read(sql<RepositoryInvitationRow>`
    select ${invitationColumns(wanted, context)} from ${invitationJoins}
    where n.id = any(${[...ids]}::bigint[]) and ${isInviterStillAdmin}
      and (${isOwn(context)} or ${accessDecision(context.actor, 'administration:read')} = 'allowed')`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** The invitation of the caller to a repository, by its current name; null for none. */
export async function ownInvitationTo(
  context: Context,
  { owner, name }: { owner: string; name: string },
  wanted: Selection,
): Promise<RepositoryInvitationRow | null> {
  const [login, key] = [loginKey(owner), repositoryKey(name)];
  if (login === undefined || key === undefined) return null;
  const [found = null] = await context.read(sql<RepositoryInvitationRow>`
    select ${invitationColumns(wanted, context)} from ${invitationJoins}
    where lower(o.login) = ${login} and lower(r.name) = ${key} and ${isOwn(context)} and ${isInviterStillAdmin}`);
  return found;
}

/**
 * DataLoader batch function: repositories that the caller can see or is invited to, as `InvitedRepository` and not as `Repository`:
 * what lies below a private repository is not for those who are merely invited.
 */
export async function repositoriesOfInvitations(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(OwnedRow | null)[]> {
  const { actor, read } = context;
  const found = await read(sql<OwnedRow>`select ${repositorySelectList(wanted, context)} from ${repositoryJoins}
    where r.id = any(${[...ids]}::bigint[]) and (${visibleTo(actor)}
      or exists (select 1 from repository_invitation n where n.repository_id = r.id and ${isOwn(context)}))`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** SQL over `n`: the caller is invited, and the credential may know it. */
function isOwn({ actor }: Pick<Context, 'actor'>): RawBuilder<boolean> {
  const mayRead = actor.kind === 'user' && checkHostingScope('invitations:read', actor) === true;
  return mayRead ? sql<boolean>`n.account_id = ${actor.accountId}` : sql<boolean>`false`;
}
