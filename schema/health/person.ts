import { Entity } from '@mikro-orm/decorators/legacy';
import { Int, registerEnumType } from 'type-graphql';
import {
  Bool,
  Choice,
  Computed,
  Day,
  Exact,
  Key,
  Moment,
  Noun,
  Owner,
  Text,
  TextList,
  Uuid,
} from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Decimal, Uri } from '../vocabulary/scalars.ts';
import { Check, Index, Unique } from '../vocabulary/table-constraints.ts';

/** The REST contract publishes the stored letters. */
export const Gender = { MALE: 'M', FEMALE: 'F', OTHER: 'O' } as const;
export type Gender = (typeof Gender)[keyof typeof Gender];
registerEnumType(Gender, { name: 'Gender', description: 'Gender of a person.' });

/** The REST contract publishes the stored letters. */
export const YesNo = { YES: 'Y', NO: 'N', UNKNOWN: 'DK' } as const;
export type YesNo = (typeof YesNo)[keyof typeof YesNo];
registerEnumType(YesNo, {
  name: 'YesNo',
  description: 'Answer to a question about health; `UNKNOWN` if the person does not know.',
});

/** The REST contract publishes the stored text, such as `A+`, which is no name in GraphQL. */
export const BloodType = {
  A: 'A',
  B: 'B',
  AB: 'AB',
  O: 'O',
  A_POSITIVE: 'A+',
  A_NEGATIVE: 'A-',
  B_POSITIVE: 'B+',
  B_NEGATIVE: 'B-',
  AB_POSITIVE: 'AB+',
  AB_NEGATIVE: 'AB-',
  O_POSITIVE: 'O+',
  O_NEGATIVE: 'O-',
} as const;
export type BloodType = (typeof BloodType)[keyof typeof BloodType];
registerEnumType(BloodType, { name: 'BloodType', description: 'Blood group, with the Rh factor or without.' });

export const bloodTypes = Object.values(BloodType);

/** People of 18 years and more, and those below, who are kept apart. */
export const AgeGroup = { MINOR: 'minor', ADULT: 'adult' } as const;
export type AgeGroup = (typeof AgeGroup)[keyof typeof AgeGroup];

const answered = (question: string) =>
  ({ about: `Answer to whether ${question}; null if the question was not answered.`, null: true }) as const;

@Noun('users', 'Person with an account of the health product, or guest.')
@Check<Person>('users_age_group', c => `${c.ageGroup} in ('minor', 'adult')`)
@Index<Person>('users_email', [c => `lower(${c.email})`], {
  unique: true,
  where: c => `(${c.deletedAt} is null) and (${c.email} is not null)`,
})
@Index<Person>('users_by_time', [() => 'date_joined'], { using: 'brin' })
@Index<Person>('users_idle_guests', ['lastSeenAt'], { where: c => `${c.isGuest}` })
@Index<Person>('users_to_erase', ['deletedAt'], {
  where: c => `(${c.deletedAt} is not null) and (${c.erasedAt} is null)`,
})
@Personal({
  what: 'Account: name, e-mail address, date of birth, telephone number, and the answers of the health profile',
  purpose: 'log in, address you, and fit articles and suggestions to you',
  kept: 'until 30 days after deletion (`ERASE_AFTER_DAYS`); a guest: 30 days without use',
  seenBy: 'other people: what you show in the community; a language model: parts of it, with your consent',
  inExport: ['profile'],
  left: 'a row without a name, as «Deleted user», because messages and comments of others refer to it',
})
@Retained<Person>({
  rows: '`ERASE_AFTER_DAYS` days after deletion, then without personal data; guests 30 days without use',
  job: 'account-erasure',
})
export class Person {
  @Key()
  id!: number;

  @Text({ about: 'E-mail address as entered; null for guests. Visible to its owner only.', null: true })
  email!: string | null;

  @Text({ about: 'First name, at most 150 characters; may be empty.', default: '' })
  firstName!: string;

  @Text({ about: 'Last name, at most 150 characters; may be empty.', default: '' })
  lastName!: string;

  @Computed(() => String, 'First and last name; `Guest` for a guest.')
  fullName!: string;

  @Text({
    about:
      'Name that others see instead of first and last name, at most 100 characters; empty for none. Without one, strangers see the first name and the first letter of the last.',
    default: '',
  })
  displayName!: string;

  @Text({ hidden: true, null: true })
  passwordHash!: string | null;

  @Text({
    about: 'Telephone number in international format, such as +4915112345678; null for none.',
    column: 'mobile_no',
    null: true,
  })
  phoneNumber!: string | null;

  @Choice(() => Gender, { about: 'Gender; null where it was not given.', null: true })
  gender!: Gender | null;

  @Day({ about: 'Date of birth; null where it was not given.', column: 'date_of_birth', null: true })
  bornOn!: string | null;

  @Computed(() => Int, 'Age in years; null without a date of birth.', { null: true })
  age!: number | null;

  @Exact('numeric(5,2)', { about: 'Weight in kg, 1 to 500; null where it was not given.', null: true })
  weightKg!: string | null;

  @Exact('numeric(5,2)', { about: 'Height in cm, 30 to 272; null where it was not given.', null: true })
  heightCm!: string | null;

  @Computed(() => Decimal, 'Body mass index in kg/m²; null without weight and height.', { null: true })
  bmi!: string | null;

  @Choice(() => BloodType, { about: 'Blood group; null where it was not given.', null: true })
  bloodType!: BloodType | null;

  @Computed(() => String, 'Blood group with or without the Rh sign.', { null: true })
  bloodTypeCode!: string | null;

  @Text({ about: 'Allergies as free text; may be empty.', default: '' })
  allergies!: string;

  @Choice(() => YesNo, answered('blood pressure is high'))
  hasHypertension!: YesNo | null;

  @Choice(() => YesNo, answered('the person has diabetes'))
  hasDiabetes!: YesNo | null;

  @Choice(() => YesNo, answered('there is a chronic condition'))
  hasChronicCondition!: YesNo | null;

  @Choice(() => YesNo, answered('the person smokes'))
  isSmoker!: YesNo | null;

  @Choice(() => YesNo, answered('there was surgery lately'))
  hadRecentSurgery!: YesNo | null;

  @TextList({ about: 'Conditions of the person.' })
  conditions!: string[];

  @TextList({ about: 'Symptoms of the person.' })
  symptoms!: string[];

  @TextList({ about: 'Conditions and symptoms that accepted peers see; none by default.' })
  conditionsForPeers!: string[];

  @TextList({
    about:
      'Conditions and symptoms that suggestions use. They are named to people who show the same; all others are private. None by default.',
  })
  conditionsForSuggestions!: string[];

  /**
   * Null until a date of birth is given. A trigger sets it once; later it changes by the 18th birthday or by a moderator, and not by another
   * date.
   */
  @Choice(() => AgeGroup, { hidden: true, null: true })
  ageGroup!: AgeGroup | null;

  @Text({ about: 'Self-description, at most 500 characters; may be empty.', default: '' })
  aboutMe!: string;

  @Bool({
    about:
      'Whether others can find the person in the community; false by default. Only people of the same age group can, by what `conditionsForSuggestions` shows.',
    default: false,
  })
  isVisibleInCommunity!: boolean;

  @Bool({
    about:
      'Whether the companion may send data of the profile to a language model. Never names and addresses; false by default.',
    column: 'share_profile_with_ai',
    default: false,
  })
  isProfileSharedWithAi!: boolean;

  @Computed(() => Boolean, 'Whether the companion may send messages to a language model; false by default.')
  areMessagesSharedWithAi!: boolean;

  @Uuid({ hidden: true, null: true })
  picture!: string | null;

  @Computed(() => Uri, 'URL of the picture; null for none.', { null: true })
  pictureUrl!: string | null;

  @Bool({ about: "Whether the account is a guest's, without an e-mail address.", default: false })
  isGuest!: boolean;

  @Bool({ about: 'Whether the e-mail address has been confirmed.', default: false })
  isVerified!: boolean;

  @Bool({ about: 'Whether the account can be used.', default: false })
  isActive!: boolean;

  @Bool({ about: 'Whether the person moderates: the command line decides.', default: false })
  isModerator!: boolean;

  /** Until then no session is opened. */
  @Moment({ hidden: true, null: true })
  suspendedUntil!: string | null;

  @Text({
    about: 'IANA time zone, such as `Europe/Berlin`, which determines calendar days; null means UTC.',
    null: true,
  })
  timeZone!: string | null;

  @Moment({ about: 'When the account was created.', column: 'date_joined' })
  joinedAt!: string;

  @Moment({ about: 'When a session was last opened; null for never.', column: 'last_login', null: true })
  lastLoginAt!: string | null;

  /** Used to find idle guests only. */
  @Moment({ hidden: true })
  lastSeenAt!: string;

  @Moment({ about: 'When the account was deleted; null for an account that can be used.', null: true })
  deletedAt!: string | null;

  /** Time at which all personal data was removed from the row. */
  @Moment({ hidden: true, null: true })
  erasedAt!: string | null;
}

/** An activation link that was used, without whose it was. Deleted after 30 days. */
@Entity({ tableName: 'used_activation_link' })
@Unique<UsedActivationLink>('used_activation_link_token_key', ['tokenHash'])
@Index<UsedActivationLink>('used_activation_link_by_time', ['usedAt'])
@Retained<UsedActivationLink>({ rows: '30 days', job: 'account-housekeeping' })
export class UsedActivationLink {
  @Key()
  id!: number;

  /** SHA-256 of the token in the mail. */
  @Text({ hidden: true })
  tokenHash!: string;

  @Moment({ hidden: true })
  usedAt!: string;
}

/**
 * One attempt to register, with the credentials of that attempt. Activation adopts its password where no other password waits
 * for the address, so that a person who registered another person's address gains nothing when that person confirms it.
 */
@Entity({ tableName: 'registration' })
@Unique<Registration>('registration_token_key', ['tokenHash'])
@Index<Registration>('registration_by_email', [c => `lower(${c.email})`, 'id'])
@Index<Registration>('registration_by_user', ['userId', 'id'])
@Personal({
  what: 'Registrations that wait for their confirmation: name, e-mail address and date of birth',
  purpose: 'confirm that the address is yours',
  kept: 'until it is confirmed, or 30 days after its end',
  seenBy: 'nobody',
  inExport: 'It becomes the profile, or is deleted.',
})
@Retained<Registration>({ rows: '30 days after their end', job: 'account-housekeeping' })
export class Registration {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  /** SHA-256 of the token in the mail. */
  @Text({ hidden: true })
  tokenHash!: string;

  @Text({ hidden: true })
  email!: string;

  @Text({ hidden: true })
  firstName!: string;

  @Text({ hidden: true })
  lastName!: string;

  @Text({ hidden: true })
  passwordHash!: string;

  @Day({ hidden: true, column: 'date_of_birth', null: true })
  bornOn!: string | null;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true })
  expiresAt!: string;
}
