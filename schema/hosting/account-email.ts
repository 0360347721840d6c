import { registerEnumType } from 'type-graphql';
import { Bool, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';

export const EmailVisibility = { PUBLIC: 'public', PRIVATE: 'private' } as const;
export type EmailVisibility = (typeof EmailVisibility)[keyof typeof EmailVisibility];
registerEnumType(EmailVisibility, { name: 'EmailVisibility', description: 'Visibility of an e-mail address.' });

@Noun('account_email', 'E-mail address of a user. Visible to that user only.')
@Index<AccountEmail>('account_email_in_order', ['accountId', 'isPrimary desc', 'id'])
@Index<AccountEmail>('account_email_by_email', [c => `lower(${c.email})`])
@Index<AccountEmail>('account_email_own', ['accountId', c => `lower(${c.email})`], { unique: true })
@Index<AccountEmail>('account_email_primary', ['accountId'], { unique: true, where: c => `${c.isPrimary}` })
@Index<AccountEmail>('account_email_verified', [c => `lower(${c.email})`], {
  unique: true,
  where: c => `${c.verifiedAt} is not null`,
})
@Retained<AccountEmail>({ rows: 'as long as the account' })
export class AccountEmail {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Text({ about: 'Address as entered.' })
  email!: string;

  @Bool({ about: 'Whether it is the primary address, used in commits and mails.', default: false })
  isPrimary!: boolean;

  @Computed(() => Boolean, 'Whether it is the public address of the profile.')
  isPublic!: boolean;

  @Moment({ about: 'Time of verification; null until then.', null: true })
  verifiedAt!: string | null;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;
}

export const AccountEmailConnection = connectionOf('AccountEmail', () => AccountEmail, 'e-mail addresses');
