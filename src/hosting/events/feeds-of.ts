import type { Context } from '../../context/context.ts';
import { noSelection } from '../../db/selection.ts';
import { type AccountRow, accountByLogin } from '../accounts/accounts.queries.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import type { Feed } from './feed.ts';
import type { EventFilter } from './feed-args.ts';
import { mayReadPrivateFeed } from './feeds.ts';

/** Events of a repository that the caller can see. */
export const repositoryFeed = ({ databaseId: id }: OwnedRow, { types }: EventFilter) =>
  ({ kind: 'repository', id, publicOnly: false, types }) as const;

/** Events of the public repositories of an account. */
export const publicOwnerFeed = ({ databaseId: id }: AccountRow, { types }: EventFilter) =>
  ({ kind: 'owner', id, publicOnly: true, types }) as const;

/** What an account caused, or received from those it watches and follows. */
export function feedOfAccount(
  { actor }: Context,
  kind: 'actor' | 'received',
  { databaseId: id }: AccountRow,
  { publicOnly, types }: EventFilter & { publicOnly: boolean },
): Feed {
  return { kind, id, publicOnly: publicOnly || !mayReadPrivateFeed(actor, id), types };
}

/** The events of an organization's repositories that a user can see; null unless the user is the caller. */
export async function feedOfMember(
  context: Context,
  { databaseId }: AccountRow,
  organization: string,
  filter: EventFilter,
): Promise<Feed | null> {
  const { actor } = context;
  if (actor.kind !== 'user' || actor.accountId !== databaseId) return null;
  const found = await accountByLogin(context, organization, noSelection, 'organization');
  return found && { ...publicOwnerFeed(found, filter), publicOnly: !mayReadPrivateFeed(actor, databaseId) };
}
