import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';
import { PersonCard } from './person-card.ts';
import { Report } from './report.ts';

export const ModerationAction = {
  DISMISSED: 'dismissed',
  HIDDEN: 'hidden',
  RESTORED: 'restored',
  WARNED: 'warned',
  SUSPENDED: 'suspended',
  SUSPENSION_LIFTED: 'suspension_lifted',
  MODERATOR_ADDED: 'moderator_added',
  MODERATOR_REMOVED: 'moderator_removed',
  AGE_ADULT: 'age_adult',
  AGE_MINOR: 'age_minor',
} as const;
export type ModerationAction = (typeof ModerationAction)[keyof typeof ModerationAction];
registerEnumType(ModerationAction, {
  name: 'ModerationAction',
  description: 'Action of a moderator.',
  valuesConfig: {
    AGE_ADULT: { description: 'Decision that a person with a held date of birth is an adult.' },
    AGE_MINOR: { description: 'Decision that a person with a held date of birth is below 18.' },
    RESTORED: { description: 'Hidden comment or message with its text again.' },
  },
});

@Noun('moderation_event', 'Entry of the audit trail of moderation.')
@Index<ModerationEvent>('moderation_event_by_person', ['personId', 'id'])
@Index<ModerationEvent>('moderation_event_by_moderator', ['moderatorId'])
@Index<ModerationEvent>('moderation_event_by_report', ['reportId'])
@Personal({
  what: 'Decisions of moderators about you',
  purpose: 'explain the decision to you, and check moderators',
  kept: 'three years, or until the account is deleted',
  seenBy: 'moderators',
  inExport: ['moderation_notices'],
  left: 'the date and kind of each decision, without names and texts',
})
@Retained<ModerationEvent>({ days: 1095, since: 'occurredAt', setting: 'MODERATION_RETENTION_DAYS' })
export class ModerationEvent {
  @Key()
  id!: number;

  /** Null for the command line. */
  @Owner(() => Person, { onDelete: 'set null', null: true })
  moderatorId!: number | null;

  @Computed(() => PersonCard, 'Moderator; null for the command line and for an erased account.', { null: true })
  moderator!: PersonCard | null;

  @Choice(() => ModerationAction, { about: 'Action of the moderator.' })
  action!: ModerationAction;

  @Owner(() => Person, { onDelete: 'set null', null: true })
  personId!: number | null;

  @Computed(() => PersonCard, 'Person concerned; null for a report that names none.', { null: true })
  person!: PersonCard | null;

  @Owner(() => Report, { onDelete: 'set null', null: true })
  reportId!: number | null;

  @Text({ about: 'Explanation of the moderator; may be empty.', default: '' })
  note!: string;

  @Text({ about: 'Text that was hidden; empty for other actions.', default: '' })
  content!: string;

  @Moment({ about: 'End of a suspension; null for other actions.', null: true })
  suspendedUntil!: string | null;

  @Moment({ about: 'Time of the action.' })
  occurredAt!: string;
}

export const ModerationEventConnection = connectionOf('ModerationEvent', () => ModerationEvent, 'moderation events');
