import { Entity } from '@mikro-orm/decorators/legacy';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Computed, Key, Moment, Owner, PrimaryUuid, Text } from '../vocabulary/columns.ts';
import { Index, Unique } from '../vocabulary/table-constraints.ts';
import { User } from './user.ts';

/** What a login opens and a logout ends. Access tokens name it and are worth nothing once it has ended. */
@Entity({ tableName: 'session' })
@Index<Session>('session_by_user', ['userId'])
@Index<Session>('session_expired', ['expiresAt'])
export class Session {
  @PrimaryUuid()
  id!: string;

  @Owner(() => User, { onDelete: 'cascade' })
  userId!: number;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true })
  lastUsedAt!: string;

  /** However often it is renewed, it ends then. */
  @Moment({ hidden: true })
  expiresAt!: string;

  @Moment({ hidden: true, null: true })
  endedAt!: string | null;

  @Text({ hidden: true, null: true })
  endReason!: string | null;
}

/** A refresh token of a session. Of a session's tokens one is current; the others were rotated into their successors. */
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

/** A request for a new password. */
@Entity({ tableName: 'password_reset' })
@Unique<PasswordReset>('password_reset_token_key', ['tokenHash'])
@Index<PasswordReset>('password_reset_by_user', ['userId'])
export class PasswordReset {
  @Key()
  id!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  userId!: number;

  @Text({ hidden: true })
  tokenHash!: string;

  @Moment({ hidden: true })
  createdAt!: string;

  @Moment({ hidden: true })
  expiresAt!: string;
}

/** What a person who has proved who they are is given. */
@ObjectType({ description: 'Tokens of a new session, and whose they are.', simpleResolvers: true })
export class TokenPair {
  @Computed(() => String, 'Access token for the Authorization header, short-lived.')
  access!: string;

  @Computed(() => String, 'Refresh token: good for one renewal.')
  refresh!: string;

  @Computed(() => User, 'The account.')
  user!: User;

  @Computed(() => String, 'What was done, in a sentence for people.')
  detail!: string;
}

@ObjectType({ description: 'Renewed tokens.', simpleResolvers: true })
export class RenewedTokens {
  @Computed(() => String, 'Access token for the Authorization header, short-lived.')
  access!: string;

  @Computed(() => String, 'Refresh token that takes the place of the one that was sent.')
  refresh!: string;
}

@ObjectType({ description: 'What was done, in a sentence for people.', simpleResolvers: true })
export class Notice {
  @Computed(() => String, 'The sentence.')
  detail!: string;
}

@ObjectType({ description: 'An account that waits for its e-mail address to be confirmed.', simpleResolvers: true })
export class RegisteredAccount {
  @Computed(() => GraphQLSafeInt, 'Number of the account.')
  id!: number;

  @Computed(() => String, 'The address the mail goes to.')
  email!: string;

  @Computed(() => String, 'First name.')
  firstName!: string;

  @Computed(() => String, 'Last name.')
  lastName!: string;

  @Computed(() => Boolean, 'False: the account can be used after activation.')
  isActive!: boolean;

  @Computed(() => String, 'What happens next, in a sentence for people.')
  detail!: string;
}
