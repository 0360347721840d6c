import type { Actor, UserActor } from '../../auth/actor.ts';

/** The user behind a request whose access word let only users in. */
export function callingUser(actor: Actor): UserActor {
  if (actor.kind !== 'user') throw new TypeError('The access word of this field let somebody in who is no user.');
  return actor;
}
