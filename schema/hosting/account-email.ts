import { Bool, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { Account } from './account.ts';

@Noun('account_email', 'An e-mail address of a user. Only the user ever sees it.')
export class AccountEmail {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  account!: Account;

  @Text({ about: 'The address as it was written.' })
  email!: string;

  @Bool({ about: 'Whether commits and mails use it.', default: false })
  isPrimary!: boolean;

  @Moment({ about: 'When the user proved that it is theirs; null until then.', null: true })
  verifiedAt!: Date | null;

  @Moment({ about: 'When it was added.' })
  createdAt!: Date;
}
