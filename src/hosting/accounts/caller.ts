import type { Actor, UserActor } from '../../auth/actor.ts';

/**
 * The calling user.
 *
 * @throws TypeError when the access word of the field admits other actors, which is a defect.
 */
export function callingUser(actor: Actor): UserActor {
  if (actor.kind !== 'user') throw new TypeError('The access word of this field let somebody in who is no user.');
  return actor;
}
