import { Entity } from '@mikro-orm/decorators/legacy';
import { Int, ObjectType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Owner } from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Retained } from '../vocabulary/retention.ts';
import { CalendarDate, DateTime } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';
import { PersonCard } from './person-card.ts';

/** A person who has changed the date of birth to one of the other age group, or removed it. The group stays until a moderator decides. */
@Entity({ tableName: 'held_age' })
@Personal({
  what: 'A change of your date of birth across the age of 18',
  purpose: 'hold the change until a moderator decides, so that adults and minors stay apart',
  kept: 'until a moderator decides',
  seenBy: 'moderators',
  inExport: 'The profile has the date of birth.',
})
export class HeldAge {
  @Owner(() => Person, { onDelete: 'cascade', key: true })
  userId!: number;

  @Moment({ hidden: true })
  heldAt!: string;
}

export const RefusedContactKind = { REQUEST: 'request', MESSAGE: 'message' } as const;
export type RefusedContactKind = (typeof RefusedContactKind)[keyof typeof RefusedContactKind];

/** An attempt of a person to reach somebody of the other age group, which was refused. Kept for a year, for moderators. */
@Entity({ tableName: 'refused_contact' })
@Check<RefusedContact>('refused_contact_kind', c => `${c.kind} in ('request', 'message')`)
@Index<RefusedContact>('refused_contact_by_other', ['otherId'])
@Index<RefusedContact>('refused_contact_by_person', ['personId', 'occurredAt'])
@Index<RefusedContact>('refused_contact_by_time', ['occurredAt'])
@Personal({
  what: 'Refused attempts to reach people of the other age group',
  purpose: 'detect adults who seek contact with people below 18',
  kept: '365 days',
  seenBy: 'moderators',
  inExport: 'Left out to protect other people.',
})
@Retained<RefusedContact>({ rows: '365 days', job: 'account-housekeeping' })
export class RefusedContact {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  personId!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  otherId!: number;

  @Choice(() => RefusedContactKind, { hidden: true })
  kind!: RefusedContactKind;

  @Moment({ hidden: true })
  occurredAt!: string;
}

@ObjectType({
  description: 'Contacts that a person has sought and was refused, in the last days.',
  simpleResolvers: true,
})
export class ContactSummary {
  @Computed(() => PersonCard, 'Person who sought contact.')
  person!: PersonCard;

  @Computed(() => Boolean, 'Whether the person is an adult; null where the age is unknown.', { null: true })
  isAdult!: boolean | null;

  @Computed(() => Int, 'Number of attempts to reach people of the other age group.')
  refusedAttempts!: number;

  @Computed(() => Int, 'Number of people whom these attempts were for.')
  refusedPeople!: number;

  @Computed(() => Int, 'Number of requests that the person has sent to others.')
  requests!: number;

  @Computed(() => Int, 'Number of those that were declined.')
  declinedRequests!: number;

  @Computed(() => Int, 'Number of people who have blocked the person, at any time.')
  blockers!: number;
}

@ObjectType({
  description: 'Change of a date of birth to the other age group, or its removal, which waits for a moderator.',
  simpleResolvers: true,
})
export class HeldAgeRecord {
  @Computed(() => PersonCard, 'Person whose date of birth is held.')
  person!: PersonCard;

  @Computed(() => Boolean, 'Whether the person counts as an adult until a moderator decides.')
  isAdult!: boolean;

  @Computed(() => CalendarDate, 'Date of birth as it is now; null where it was removed.', { null: true })
  bornOn!: string | null;

  @Computed(() => DateTime, 'Time of the change.')
  heldAt!: Date;
}
