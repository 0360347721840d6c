import { GraphQLSafeInt } from 'graphql-scalars';
import { registerEnumType } from 'type-graphql';
import { Choice, Computed, Key, Moment, Noun, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';

export const SigningKeyKind = { SSH: 'ssh', PGP: 'pgp' } as const;
export type SigningKeyKind = (typeof SigningKeyKind)[keyof typeof SigningKeyKind];
registerEnumType(SigningKeyKind, { name: 'SigningKeyKind', description: 'What kind of signature a key makes.' });

@Noun('signing_key', 'A public key with which a user signs commits.')
@Index<SigningKey>('signing_key_by_account', ['accountId', 'id'])
@Index<SigningKey>('signing_key_by_key_id', ['keyIds'], { using: 'gin', where: c => `${c.revokedAt} is null` })
@Index<SigningKey>('signing_key_fingerprint', ['kind', 'fingerprint'], {
  unique: true,
  where: c => `${c.revokedAt} is null`,
})
export class SigningKey {
  @Key()
  id!: number;

  @Computed(() => GraphQLSafeInt, 'Number of the key.')
  databaseId!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Choice(() => SigningKeyKind, { about: 'SSH or PGP.' })
  kind!: SigningKeyKind;

  @Text({ about: 'What the user calls it.' })
  title!: string;

  @Text({ about: 'The key itself: a line of OpenSSH, or an armored PGP block.' })
  publicKey!: string;

  @Text({
    about: 'Of an SSH key the SHA-256 as OpenSSH prints it; of a PGP key its fingerprint in capital hex digits.',
  })
  fingerprint!: string;

  /** Of a PGP key and its subkeys: how signatures name them. 16 hex digits in lower case. */
  @TextList({ hidden: true })
  keyIds!: string[];

  @Moment({ about: 'When it was added.' })
  createdAt!: string;

  /** Kept after removal: what it verified stays verified. */
  @Moment({ hidden: true, null: true })
  revokedAt!: string | null;
}
