import type { Kysely } from 'kysely';
import type { Actor } from '../../auth/actor.ts';
import { invalidAccessToken } from '../../auth/health-credential.ts';
import { lockOpenSession } from '../../auth/sessions.ts';
import { unauthenticated } from '../../errors/errors.ts';

type Person = Extract<Actor, { kind: 'person' }>;

/**
 * Returns the signed-in actor. `@Access` has already refused all others; this narrows the type and guards against a
 * missing rule.
 */
export function requirePerson(actor: Actor): Person {
  if (actor.kind !== 'person') throw unauthenticated();
  return actor;
}

/**
 * Throws `token_not_valid` (401) when the caller's session ended after the request was authenticated; see
 * `lockOpenSession`.
 */
export async function requireOpenSession(db: Kysely<unknown>, person: Person, now: Date): Promise<void> {
  if (!(await lockOpenSession({ db, now }, person))) throw invalidAccessToken('Token is invalid');
}
