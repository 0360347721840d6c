import { registerEnumType } from 'type-graphql';
import { Choice, Key, Moment, Noun, Owner, Text, TextList } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';

export const SigningKeyKind = { SSH: 'ssh', PGP: 'pgp' } as const;
export type SigningKeyKind = (typeof SigningKeyKind)[keyof typeof SigningKeyKind];
registerEnumType(SigningKeyKind, { name: 'SigningKeyKind', description: 'Kind of a signing key.' });

@Noun('signing_key', "Public key that verifies a user's signatures on commits.")
@Index<SigningKey>('signing_key_by_account', ['accountId', 'id'])
@Index<SigningKey>('signing_key_by_key_id', ['keyIds'], { using: 'gin', where: c => `${c.revokedAt} is null` })
@Index<SigningKey>('signing_key_fingerprint', ['kind', 'fingerprint'], {
  unique: true,
  where: c => `${c.revokedAt} is null`,
})
@Retained<SigningKey>({ rows: 'until the key is deleted' })
export class SigningKey {
  @Key()
  id!: number;

  @Owner(() => Account, { onDelete: 'cascade' })
  accountId!: number;

  @Choice(() => SigningKeyKind, { about: 'Kind of the key: SSH or PGP.' })
  kind!: SigningKeyKind;

  @Text({ about: 'Title given by the user.' })
  title!: string;

  @Text({ about: 'Public key: an OpenSSH line or an armored PGP block.' })
  publicKey!: string;

  @Text({
    about: 'Fingerprint. SSH keys have SHA-256 as OpenSSH prints it, PGP keys upper-case hexadecimal digits.',
  })
  fingerprint!: string;

  /** Key ids of a PGP key and its subkeys, by which signatures name them: 16 lower-case hexadecimal digits. */
  @TextList({ hidden: true })
  keyIds!: string[];

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  /** The row stays after removal, because signatures that it verified stay verified. */
  @Moment({ hidden: true, null: true })
  revokedAt!: string | null;
}

export const SigningKeyConnection = connectionOf('SigningKey', () => SigningKey, 'signing keys');
