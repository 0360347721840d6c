import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { InterfaceType, ObjectType } from 'type-graphql';
import { Computed, Key, Moment, Noun, Owner, PrimaryUuid, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Session from login to logout. An access token names its session and is invalid after the session's end. */
@Noun('session', 'Session of yours: a browser or an app that is logged in.', { name: 'HealthSession' })
@Index<Session>('session_by_user', ['userId'])
@Index<Session>('session_expired', ['expiresAt'])
@Personal({
  what: 'Sessions: the name of the browser or app, when it logged in, and when it was last used',
  purpose: 'keep you logged in, and log out stolen tokens',
  kept: 'until 30 days after their end',
  seenBy: 'nobody',
  inExport: ['sessions'],
})
@Retained<Session>({ rows: '30 days after their end', job: 'account-housekeeping' })
export class Session {
  @PrimaryUuid()
  id!: string;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Text({
    about: 'Name of the browser or program that logged in, such as `Firefox on Windows`; may be empty.',
    default: '',
  })
  device!: string;

  @Moment({ about: 'When the session was opened.' })
  createdAt!: string;

  @Moment({ about: 'When the session was last renewed.' })
  lastUsedAt!: string;

  /** Independent of renewals. */
  @Moment({ about: 'When the session ends at the latest.' })
  expiresAt!: string;

  @Computed(() => Boolean, 'Whether the request belongs to it.')
  isCurrent!: boolean;

  @Moment({ hidden: true, null: true })
  endedAt!: string | null;

  @Text({ hidden: true, null: true })
  endReason!: string | null;
}

export const HealthSessionConnection = connectionOf('HealthSession', () => Session, 'sessions');

/** Refresh token of a session. One token of a session is current; each of the others was rotated into its successor. */
@Entity({ tableName: 'refresh_token' })
@Index<RefreshToken>('refresh_token_by_session', ['sessionId'])
@Index<RefreshToken>('refresh_token_by_successor', ['successorId'])
@Personal({
  what: 'Keys that renew a session',
  purpose: 'keep you logged in',
  kept: 'as long as the session',
  seenBy: 'nobody',
  inExport: 'They are secrets of your devices.',
})
@Retained<RefreshToken>({ rows: 'as long as the session' })
export class RefreshToken {
  @PrimaryUuid()
  id!: string;

  @Owner(() => Session, { onDelete: 'cascade' })
  sessionId!: string;

  @Moment({ hidden: true })
  issuedAt!: string;

  @Moment({ hidden: true })
  expiresAt!: string;

  @Moment({ hidden: true, null: true })
  rotatedAt!: string | null;

  @Owner(() => RefreshToken, { onDelete: 'cascade', null: true })
  successorId!: string | null;
}

/** Request for a password reset. */
@Entity({ tableName: 'password_reset' })
@Unique<PasswordReset>('password_reset_token_key', ['tokenHash'])
@Index<PasswordReset>('password_reset_by_user', ['userId'])
@Personal({
  what: 'Requests for a new password, as a fingerprint of the link in the mail',
  purpose: 'let only the owner of the address set a password',
  kept: 'until the link expires',
  seenBy: 'nobody',
  inExport: 'It is a secret of your mailbox; that it was asked for is in `events`.',
})
@Retained<PasswordReset>({ rows: 'until the link expires', job: 'account-housekeeping' })
export class PasswordReset {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Text({ hidden: true })
  tokenHash!: string;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true })
  expiresAt!: string;
}

/** What every mutation that opens or renews a session returns. Nothing in it can fail alone, hence no field is nullable. */
@InterfaceType({ description: 'Tokens of a session of the health product, with its person.' })
export abstract class HealthSessionTokens {
  @Computed(() => String, 'Access token for the Authorization header. Valid for 15 minutes, of a guest for a day.')
  accessToken!: string;

  @Computed(() => String, 'Refresh token, valid for one renewal within 14 days, of a guest within 30.')
  refreshToken!: string;

  @Computed(() => Person, 'Person whose session it is. Lists of the person need a request with the access token.')
  viewer!: Person;
}

/** Account as the REST contract answers to a registration. */
@ObjectType({ description: 'Account whose e-mail address is not confirmed yet.', simpleResolvers: true })
export class RegisteredAccount {
  @Computed(() => GraphQLSafeInt, 'Number of the account.')
  databaseId!: number;

  @Computed(() => String, 'Address that the mail is sent to.')
  email!: string;

  @Computed(() => String, 'First name of the account.')
  firstName!: string;

  @Computed(() => String, 'Last name of the account.')
  lastName!: string;
}
