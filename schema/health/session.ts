import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed, Key, Moment, Owner, PrimaryUuid, Text } from '../vocabulary/columns.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Session from login to logout. An access token names its session and is invalid after the session's end. */
@Entity({ tableName: 'session' })
@Index<Session>('session_by_user', ['userId'])
@Index<Session>('session_expired', ['expiresAt'])
export class Session {
  @PrimaryUuid()
  id!: string;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true })
  lastUsedAt!: string;

  /** End of the session, independent of renewals. */
  @Moment({ hidden: true })
  expiresAt!: string;

  @Moment({ hidden: true, null: true })
  endedAt!: string | null;

  @Text({ hidden: true, null: true })
  endReason!: string | null;
}

/** Refresh token of a session. One token of a session is current; each of the others was rotated into its successor. */
@Entity({ tableName: 'refresh_token' })
@Index<RefreshToken>('refresh_token_by_session', ['sessionId'])
@Index<RefreshToken>('refresh_token_by_successor', ['successorId'])
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

/** Result of a successful authentication. */
@ObjectType({ description: 'Tokens of a new session, with the account.', simpleResolvers: true })
export class TokenPair {
  @Computed(() => String, 'Access token for the Authorization header, short-lived.')
  access!: string;

  @Computed(() => String, 'Refresh token, valid for one renewal.')
  refresh!: string;

  @Computed(() => Person, 'Account.')
  user!: Person;

  @Computed(() => String, 'Outcome as a sentence for users.')
  detail!: string;
}

@ObjectType({ description: 'Renewed tokens.', simpleResolvers: true })
export class RenewedTokens {
  @Computed(() => String, 'Access token for the Authorization header, short-lived.')
  access!: string;

  @Computed(() => String, 'Refresh token that replaces the one sent.')
  refresh!: string;
}

@ObjectType({ description: 'Outcome as a sentence for users.', simpleResolvers: true })
export class Notice {
  @Computed(() => String, 'Outcome as a sentence for users.')
  detail!: string;
}

@ObjectType({ description: 'Account whose e-mail address is not confirmed yet.', simpleResolvers: true })
export class RegisteredAccount {
  @Computed(() => GraphQLSafeInt, 'Number of the account.')
  id!: number;

  @Computed(() => String, 'Address that the mail is sent to.')
  email!: string;

  @Computed(() => String, 'First name.')
  firstName!: string;

  @Computed(() => String, 'Last name.')
  lastName!: string;

  @Computed(() => Boolean, 'Always false: the account becomes usable by activation.')
  isActive!: boolean;

  @Computed(() => String, 'Next step as a sentence for users.')
  detail!: string;
}
