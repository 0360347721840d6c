import { Bool, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';

@Noun('account_email', 'An e-mail address of a user. Only the user ever sees it.')
@Index<AccountEmail>('account_email_by_email', [c => `lower(${c.email})`])
@Index<AccountEmail>('account_email_own', ['accountId', c => `lower(${c.email})`], { unique: true })
@Index<AccountEmail>('account_email_primary', ['accountId'], { unique: true, where: c => `${c.isPrimary}` })
@Index<AccountEmail>('account_email_verified', [c => `lower(${c.email})`], {
  unique: true,
  where: c => `${c.verifiedAt} is not null`,
})
export class AccountEmail {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Text({ about: 'The address as it was written.' })
  email!: string;

  @Bool({ about: 'Whether commits and mails use it.', default: false })
  isPrimary!: boolean;

  @Moment({ about: 'When the user proved that it is theirs; null until then.', null: true })
  verifiedAt!: string | null;

  @Moment({ about: 'When it was added.' })
  createdAt!: string;
}
