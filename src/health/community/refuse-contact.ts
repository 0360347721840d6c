import { GraphQLError } from 'graphql';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { RefusedContactKind } from '../../../schema/health/contact-protection.ts';
import type { Context } from '../../context/context.ts';
import { forbidden } from '../../errors/errors.ts';
import { isReachable } from '../people/person-card.ts';
import { differInAge } from './blocks.ts';

/**
 * Records for the moderators that a person tried to reach another one, if it was refused because of their ages; no effect otherwise. To be
 * called for every refusal, after its transaction was rolled back, so that all refusals take the same statements.
 */
export async function recordRefusedContact(
  context: Pick<Context, 'transaction' | 'now'>,
  { personId, otherId, kind }: { personId: number; otherId: number; kind: RefusedContactKind },
): Promise<void> {
  await context.transaction(db =>
    sql`insert into refused_contact (person_id, other_id, kind, occurred_at)
      select ${personId}, u.id, ${kind}, ${context.now()} from users u
      where u.id = ${otherId} and ${isReachable('u')} and ${differInAge(personId, 'u.id')}`.execute(db),
  );
}

/** Why the age of a person allows no new contact: `date_of_birth_needed`, or `date_of_birth_held` while a moderator has to decide on it. */
export type AgeProblem = keyof typeof ageSentences;

const ageSentences = {
  date_of_birth_needed:
    'Give your date of birth first: `date_of_birth` in your profile (PATCH /auth/me/). Adults and people under 18 are kept apart here.',
  date_of_birth_held:
    'A moderator has to decide on the change of your date of birth before you can meet somebody new, in a group or otherwise.',
} as const;

/** The `AgeProblem` of the user; NULL for none. Part of the statements that it guards, which therefore take no more of them. */
export const ageProblem = (userId: number): RawBuilder<AgeProblem | null> =>
  sql`(select case when age.age_group is null then 'date_of_birth_needed'
      when exists (select from held_age h where h.user_id = age.id) then 'date_of_birth_held' end
    from users age where age.id = ${userId})`;

/** Condition: the user gave a date of birth. Writing in a group needs it; a date that is held ends no conversation. */
export const isAgeKnown = (userId: RawBuilder<number>): RawBuilder<boolean> =>
  sql`exists (select from users age where age.id = ${userId} and age.age_group is not null)`;

export const ageError = (reason: AgeProblem): Error => forbidden({ reason }, ageSentences[reason]);

/** Said of a person whom the caller sees and who may meet nobody new. It does not say why: that is between this person and the moderators. */
export const noNewContactsNow = 'This person can join nobody and no group for now. Try again later.';

/** The error for accepting a request, which the caller sees, of a person who may meet nobody new. */
export const requestOnHold = (): Error =>
  forbidden({ reason: 'on_hold' }, 'This cannot be accepted for now. It stays: accept it later, or decline it.');

/** @throws forbidden, with an `AgeProblem` as the reason */
export async function requireAge(db: Kysely<unknown>, userId: number): Promise<void> {
  const { rows } = await sql<{ problem: AgeProblem | null }>`select ${ageProblem(userId)} as problem`.execute(db);
  const problem = rows[0]?.problem;
  if (problem) throw ageError(problem);
}

/** The error of a refused message: `date_of_birth_needed` instead of a forbidden one where its author gave no date of birth. */
export async function explainByAge(context: Pick<Context, 'read'>, userId: number, error: unknown): Promise<unknown> {
  if (!(error instanceof GraphQLError) || error.extensions.code !== 'FORBIDDEN') return error;
  const [found] = await context.read(sql<{ problem: AgeProblem | null }>`select ${ageProblem(userId)} as problem`);
  return found?.problem === 'date_of_birth_needed' ? ageError(found.problem) : error;
}
