import { Entity } from '@mikro-orm/decorators/legacy';
import { registerEnumType } from 'type-graphql';
import { Choice, Key, Moment, Owner } from '../vocabulary/columns.ts';
import { Personal } from '../vocabulary/personal-data.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Person } from './person.ts';

/** Kinds of events of credentials. */
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
export type AuditKind = (typeof AuditKind)[keyof typeof AuditKind];
registerEnumType(AuditKind, {
  name: 'AuditKind',
  description: 'Kind of an event of the credentials of an account.',
  valuesConfig: {
    TOKEN_REUSED: { description: 'Second use of a refresh token, which ends the session.' },
    DELETED: { description: 'Deletion of the account by the person.' },
    ERASED: { description: 'Erasure of the data of a deleted account.' },
  },
});

/** Event of the credentials of an account, without content and network address. */
@Entity({ tableName: 'audit_event' })
@Index<AuditEvent>('audit_event_by_user', ['userId', 'id'])
@Personal({
  what: 'Audit log of the account: log-ins, log-outs, password changes, deletion',
  purpose: 'detect misuse of the account and prove its deletion',
  kept: 'until the account is deleted',
  seenBy: 'nobody',
  inExport: ['events'],
  left: 'the date of the erasure, under the number of the account, as its proof',
})
export class AuditEvent {
  @Key()
  id!: number;

  @Owner(() => Person, { onDelete: 'cascade' })
  userId!: number;

  @Choice(() => AuditKind, { hidden: true })
  kind!: AuditKind;

  @Moment({ hidden: true })
  at!: string;
}
