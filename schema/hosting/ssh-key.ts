import { GraphQLSafeInt } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { Bool, Computed, Key, Moment, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { Retained } from '../vocabulary/retention.ts';
import { DateTime } from '../vocabulary/scalars.ts';
import { Check, Index } from '../vocabulary/table-constraints.ts';
import { Account } from './account.ts';
import { Repository } from './repository.ts';

@Noun('ssh_key', 'Public SSH key of a user, or deploy key of a repository.')
@Check<SshKey>('ssh_key_owner_check', c => `num_nonnulls(${c.accountId}, ${c.repositoryId}) = 1`)
@Index<SshKey>('ssh_key_by_account', ['accountId', 'id'], { where: c => `${c.accountId} is not null` })
@Index<SshKey>('ssh_key_by_author', ['addedById'], { where: c => `${c.addedById} is not null` })
@Index<SshKey>('ssh_key_by_repository', ['repositoryId', 'id'], { where: c => `${c.repositoryId} is not null` })
@Index<SshKey>('ssh_key_fingerprint', ['fingerprint'], { unique: true })
@Retained<SshKey>({ rows: 'until the key is deleted' })
export class SshKey {
  @Key()
  id!: number;

  /** The field is that of a node. */
  databaseId!: number;

  @Owner(() => Account, { onDelete: 'cascade', null: true })
  accountId!: number | null;

  @Owner(() => Repository, { onDelete: 'cascade', null: true })
  repositoryId!: number | null;

  @Owner(() => Account, { onDelete: 'set null', null: true })
  addedById!: number | null;

  @Text({ about: 'Title, at most 255 characters.' })
  title!: string;

  @Text({ about: 'OpenSSH line without its comment.' })
  key!: string;

  @Text({
    about: 'SHA-256 of the key, as OpenSSH prints it. No two keys of all accounts and repositories have the same.',
  })
  fingerprint!: string;

  @Bool({ about: 'Whether a deploy key may read only; false for keys of users.', default: false })
  isReadOnly!: boolean;

  @Moment({ about: 'Time of creation.' })
  createdAt!: string;

  @Computed(() => String, 'Login of the user who added it; null where there is none any more.', { null: true })
  addedByLogin!: string | null;

  @Computed(() => String, 'Path in the API, such as `/user/keys/1`.')
  apiPath!: string;
}

export const SshKeyConnection = connectionOf('SshKey', () => SshKey, 'SSH keys');

@ObjectType({ description: 'Public SSH key of a user, as everybody sees it.', simpleResolvers: true })
export class PublicKey {
  @Computed(() => GraphQLSafeInt, 'Number of the key.')
  databaseId!: number;

  @Computed(() => String, 'OpenSSH line without its comment.')
  key!: string;

  @Computed(() => String, 'SHA-256 of the key, as OpenSSH prints it.')
  fingerprint!: string;

  @Computed(() => DateTime, 'Time of creation.')
  createdAt!: string;
}

export const PublicKeyConnection = connectionOf('PublicKey', () => PublicKey, 'public keys');
