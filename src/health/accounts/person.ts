import type { Actor } from '../../auth/actor.ts';
import { unauthenticated } from '../../errors/errors.ts';

/** The person behind a request. The rules have let nobody else through; the check is for the compiler and for mistakes. */
export function personOf(actor: Actor): Extract<Actor, { kind: 'person' }> {
  if (actor.kind !== 'person') throw unauthenticated();
  return actor;
}
