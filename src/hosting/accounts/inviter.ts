import type { Actor } from '../../auth/actor.ts';

/**
 * Number of the user who invites; null for an app that no user authorized. An app invites on behalf of the user who installed it, so
 * that its invitations end with that user's role.
 */
export function inviterOf(actor: Actor): number | null {
  if (actor.kind === 'user') return actor.accountId;
  return (actor.kind === 'installation' && actor.credential.bounds?.accountIds[0]) || null;
}
