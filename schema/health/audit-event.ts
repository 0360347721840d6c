import { registerEnumType } from 'type-graphql';
import { Choice, Key, Moment, Noun, Owner } from '../vocabulary/columns.ts';
import { User } from './user.ts';

/** Everything that happens to credentials. */
export const AuditKind = {
  REGISTERED: 'registered',
  ACTIVATED: 'activated',
  LOGGED_IN: 'logged_in',
  LOGGED_OUT: 'logged_out',
  TOKEN_REUSED: 'token_reused',
  PASSWORD_CHANGED: 'password_changed',
  PASSWORD_RESET_REQUESTED: 'password_reset_requested',
  PASSWORD_RESET: 'password_reset',
  DELETED: 'deleted',
  ERASED: 'erased',
} as const;
registerEnumType(AuditKind, { name: 'AuditKind', description: 'What happened to the credentials of an account.' });

@Noun('audit_event', 'Something that happened to the credentials of an account. It holds no content and no address.')
export class AuditEvent {
  @Key()
  id!: number;

  @Owner(() => User, { onDelete: 'cascade' })
  user!: User;

  @Choice(() => AuditKind, { about: 'What happened.' })
  kind!: string;

  @Moment({ about: 'When it happened.' })
  at!: Date;
}
