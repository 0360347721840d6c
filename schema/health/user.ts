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
import { Decimal } from '../vocabulary/scalars.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';

/** Published with capital letters. */
export const Gender = { M: 'M', F: 'F', O: 'O' } as const;
export type Gender = (typeof Gender)[keyof typeof Gender];
registerEnumType(Gender, { name: 'Gender', description: 'M, F, or O for any other.' });

/** Published with capital letters. */
export const YesNo = { Y: 'Y', N: 'N', DK: 'DK' } as const;
export type YesNo = (typeof YesNo)[keyof typeof YesNo];
registerEnumType(YesNo, { name: 'YesNo', description: 'Y for yes, N for no, DK for «I do not know».' });

/** Blood groups as published. They are no names of GraphQL, so the graph has them as strings. */
export const bloodTypes = ['A', 'B', 'AB', 'O', 'A+', 'A-', 'B+', 'B-', 'AB+', 'AB-', 'O+', 'O-'] as const;

const answered = (question: string) => ({ about: `${question} Null when nothing was said.`, null: true }) as const;

@Noun('users', 'A person with an account of the health product, or a guest.')
@Index<User>('users_email', [c => `lower(${c.email})`], {
  unique: true,
  where: c => `(${c.deletedAt} is null) and (${c.email} is not null)`,
})
@Index<User>('users_idle_guests', ['lastSeenAt'], { where: c => `${c.isGuest}` })
@Index<User>('users_to_erase', ['deletedAt'], {
  where: c => `(${c.deletedAt} is not null) and (${c.erasedAt} is null)`,
})
export class User {
  @Key('Number of the account.')
  id!: number;

  @Text({ about: 'E-mail address as it was written; null for guests. Only ever shown to its owner.', null: true })
  email!: string | null;

  @Text({ about: 'First name.', default: '' })
  firstName!: string;

  @Text({ about: 'Last name.', default: '' })
  lastName!: string;

  @Computed(() => String, 'First and last name; `Guest` for a guest.')
  fullName!: string;

  @Text({ hidden: true, null: true })
  passwordHash!: string | null;

  @Text({ about: 'Telephone number in the international form, such as +4915112345678.', null: true })
  mobileNo!: string | null;

  @Choice(() => Gender, { about: 'Gender.', null: true })
  gender!: Gender | null;

  @Day({ about: 'Date of birth.', null: true })
  dateOfBirth!: string | null;

  @Computed(() => Int, 'Age in years, from the date of birth.', { null: true })
  age!: number | null;

  @Exact('numeric(5,2)', { about: 'Weight in kilograms, 1 to 500.', null: true })
  weightKg!: string | null;

  @Exact('numeric(5,2)', { about: 'Height in centimetres, 30 to 272.', null: true })
  heightCm!: string | null;

  @Computed(() => Decimal, 'Body mass index, from weight and height.', { null: true })
  bmi!: string | null;

  @Text({ about: 'Blood group, with or without its sign: A, B+, AB-, O.', null: true })
  bloodType!: string | null;

  @Text({ about: 'Allergies, in words; may be empty.', default: '' })
  allergies!: string;

  @Choice(() => YesNo, answered('High blood pressure?'))
  hasHypertension!: YesNo | null;

  @Choice(() => YesNo, answered('Diabetes?'))
  hasDiabetes!: YesNo | null;

  @Choice(() => YesNo, answered('A chronic condition?'))
  hasChronicCondition!: YesNo | null;

  @Choice(() => YesNo, answered('A smoker?'))
  isSmoker!: YesNo | null;

  @Choice(() => YesNo, answered('Surgery lately?'))
  hadRecentSurgery!: YesNo | null;

  @TextList({ about: 'Conditions the person lives with.' })
  conditions!: string[];

  @TextList({ about: 'Symptoms the person has.' })
  symptoms!: string[];

  @Text({ about: 'What the person says about themselves, at most 500 characters.', default: '' })
  aboutMe!: string;

  @Bool({
    about: 'Whether others may find the person in the community. False until the person asks for it.',
    default: false,
  })
  isVisibleInCommunity!: boolean;

  @Bool({
    about:
      'Whether the companion may pass age, gender, conditions, symptoms and the like on to a language model, never the name or an address. False until the person agrees; it can be taken back at any time.',
    default: false,
  })
  shareProfileWithAi!: boolean;

  @Uuid({ hidden: true, null: true })
  picture!: string | null;

  @Computed(() => String, 'Absolute address of the picture.', { null: true })
  profilePicture!: string | null;

  @Bool({ about: 'Whether this is a guest: nobody has claimed the account with an e-mail address.', default: false })
  isGuest!: boolean;

  @Bool({ about: 'Whether the e-mail address has been confirmed.', default: false })
  isVerified!: boolean;

  @Bool({ about: 'Whether the account can be used.', default: false })
  isActive!: boolean;

  @Text({
    about:
      'Time zone as the IANA database names it, such as `Europe/Berlin`; null counts as UTC. It decides what a day is.',
    null: true,
  })
  timeZone!: string | null;

  @Moment({ about: 'When the account was made.' })
  dateJoined!: string;

  @Moment({ about: 'When its owner last logged in.', null: true })
  lastLogin!: string | null;

  /** By this a guest is found to be idle. Told to nobody. */
  @Moment({ hidden: true })
  lastSeenAt!: string;

  @Moment({ hidden: true, null: true })
  deletedAt!: string | null;

  /** Set when nothing personal is left in the row. */
  @Moment({ hidden: true, null: true })
  erasedAt!: string | null;
}

/**
 * One attempt to register, with the credentials of that attempt. Activation adopts its password where no other password waits
 * for the address, so that a person who registered another person's address gains nothing when that person confirms it.
 */
@Entity({ tableName: 'registration' })
@Unique<Registration>('registration_token_key', ['tokenHash'])
@Index<Registration>('registration_by_email', [c => `lower(${c.email})`, 'id'])
@Index<Registration>('registration_by_user', ['userId', 'id'])
export class Registration {
  @Key()
  id!: number;

  @Owner(() => User, { onDelete: 'cascade' })
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

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true })
  expiresAt!: string;
}
