import type { Kysely } from 'kysely';
import type { Actor } from '../../auth/actor.ts';
import { invalidAccessToken } from '../../auth/health-credential.ts';
import { lockOpenSession } from '../../auth/sessions.ts';
import { unauthenticated } from '../../errors/errors.ts';

type Person = Extract<Actor, { kind: 'person' }>;

/** The person behind a request. The rules have let nobody else through; the check is for the compiler and for mistakes. */
export function requirePerson(actor: Actor): Person {
  if (actor.kind !== 'person') throw unauthenticated();
  return actor;
}

/** Throws token_not_valid (401) where the caller's session has ended since the request was let in: see `lockOpenSession`. */
export async function requireOpenSession(db: Kysely<unknown>, person: Person, now: Date): Promise<void> {
  if (!(await lockOpenSession({ db, now }, person))) throw invalidAccessToken('Token is invalid');
}
