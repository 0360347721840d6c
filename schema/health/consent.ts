import { Entity } from '@mikro-orm/decorators/legacy';
import { ObjectType, registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Owner, Text } from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

export const ConsentPurpose = {
  MESSAGES_TO_MODEL: 'messages_to_model',
  PROFILE_TO_MODEL: 'profile_to_model',
  COMMUNITY: 'community',
  CONDITION_FOR_PEERS: 'condition_for_peers',
  CONDITION_FOR_SUGGESTIONS: 'condition_for_suggestions',
} as const;
export type ConsentPurpose = (typeof ConsentPurpose)[keyof typeof ConsentPurpose];
registerEnumType(ConsentPurpose, {
  name: 'ConsentPurpose',
  description: 'Purpose that a person consents to. The two of conditions are for one condition or symptom each.',
});

/** Decision of a person about a purpose. A consent is in force while it was given and not withdrawn; a refusal was never given. */
@Entity({ tableName: 'consent' })
@Index<Consent>('consent_by_user', ['userId', 'id'])
@Index<Consent>('consent_in_force', ['userId', 'purpose', 'subject'], {
  unique: true,
  where: c => `(${c.givenAt} is not null) and (${c.withdrawnAt} is null)`,
})
@Check<Consent>('consent_decided', c => `(${c.givenAt} is not null) or (${c.withdrawnAt} is not null)`)
@Personal({
  what: 'Consents that you gave and withdrew, with the version of the text that you read',
  purpose: 'prove what you consented to, and stop when you withdraw it',
  kept: 'until the account is deleted',
  seenBy: 'nobody',
  inExport: ['consents'],
})
export class Consent {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Choice(() => ConsentPurpose, { hidden: true })
  purpose!: ConsentPurpose;

  /** The condition or symptom, normalized; empty for other purposes. */
  @Text({ hidden: true, default: '' })
  subject!: string;

  /** Of the text that the person read. */
  @Text({ hidden: true })
  textVersion!: string;

  /** Who gets the data; null where nobody outside of this installation does. */
  @Text({ hidden: true, null: true })
  provider!: string | null;

  /** Null for a refusal. */
  @Moment({ hidden: true, null: true })
  givenAt!: string | null;

  /** For a refusal the time of it. */
  @Moment({ hidden: true, null: true })
  withdrawnAt!: string | null;
}

@ObjectType({ description: 'Decision of yours about a purpose.', simpleResolvers: true })
export class ConsentRecord {
  @Computed(() => ConsentPurpose, 'Purpose that the consent is for.')
  purpose!: ConsentPurpose;

  @Computed(() => String, 'Condition or symptom that it is about; empty for other purposes.')
  subject!: string;

  @Computed(() => String, 'Version of the text about the purpose.')
  textVersion!: string;

  @Computed(
    () => String,
    'Sentence of that version about the purpose; empty for what was switched on before there were texts.',
  )
  text!: string;

  @Computed(() => String, 'Host of the provider that gets the data; null for none.', { null: true })
  provider!: string | null;

  @Computed(() => DateTime, 'When it was given; null for a refusal.', { null: true })
  givenAt!: string | null;

  @Computed(() => DateTime, 'When it was withdrawn or refused; null while it is in force.', { null: true })
  withdrawnAt!: string | null;
}
