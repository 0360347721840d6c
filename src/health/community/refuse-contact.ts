import { type Kysely, sql } from 'kysely';
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

/** @throws forbidden `date_of_birth_needed` for a person whose age is unknown, `date_of_birth_held` for one whose age a moderator decides on */
export async function requireAge(db: Kysely<unknown>, userId: number): Promise<void> {
  const { rows } = await sql<{ isKnown: boolean; isHeld: boolean }>`
    select age_group is not null as "isKnown", exists (select from held_age where user_id = ${userId}) as "isHeld"
    from users where id = ${userId}`.execute(db);
  if (!rows[0]?.isKnown) throw ageNeeded();
  if (rows[0].isHeld)
    throw forbidden(
      { reason: 'date_of_birth_held' },
      'A moderator has to decide on the change of your date of birth before you can be connected with somebody new.',
    );
}

export const ageNeeded = (): Error =>
  forbidden(
    { reason: 'date_of_birth_needed' },
    'Give your date of birth in your profile first: adults and people under 18 are kept apart here.',
  );
