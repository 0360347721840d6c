import type { Actor, UserActor } from '../../auth/actor.ts';

/**
 * The calling user.
 *
 * @throws TypeError when the access scope of the field admits other actors, which is a defect.
 */
export function callingUser(actor: Actor): UserActor {
  if (actor.kind !== 'user') throw new TypeError('The access scope of this field admits actors that are not users.');
  return actor;
}

/** Whether an account is the user who makes the request. */
export function isCaller(actor: Actor, accountId: number): actor is UserActor {
  return actor.kind === 'user' && actor.accountId === accountId;
}
