import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Field, FieldResolver, ID, Info, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { Account, User } from '../../../schema/hosting/account.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { PublicKeyConnection, SshKey, SshKeyConnection } from '../../../schema/hosting/ssh-key.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { Limits } from '../../../schema/vocabulary/limits.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import type { Connection } from '../../db/connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import type { AccountRow } from '../accounts/accounts.queries.ts';
import { isCaller } from '../accounts/caller.ts';
import { mayReadField, type OwnedRow } from '../repositories/repositories.queries.ts';
import { addressOfId } from '../repositories/repository-ref.ts';
import { lineLimits } from '../text-problems.ts';
import { sshKeyLimits } from './read-ssh-key.ts';
import { type SshKeyOwner, type SshKeyRow, sshKeyOf, sshKeysOf } from './ssh-keys.queries.ts';
import { addSshKey, deployKeysOf, ownKeys, removeSshKey } from './write-ssh-key.ts';

@InputType()
class SshKeyFields {
  @Limits(lineLimits.line)
  @optionalField(() => String, 'Title, at most 255 characters; the comment of the key by default.')
  title?: string | null;
  @Limits(sshKeyLimits)
  @Field(() => String, { description: 'OpenSSH line: Ed25519, ECDSA, or RSA of at least 2,048 bits.' })
  key!: string;
}

@InputType({ description: 'Input of `addSshKey`.' })
class AddSshKeyInput extends SshKeyFields {}

@InputType({ description: 'Input of `removeSshKey`.' })
class RemoveSshKeyInput {
  @Field(() => ID, { description: 'Key to delete.' }) sshKeyId!: string;
}

@InputType({ description: 'Input of `addDeployKey`.' })
class AddDeployKeyInput extends SshKeyFields {
  @Field(() => ID, { description: 'Repository that gets the key.' }) repositoryId!: string;
  @optionalField(() => Boolean, 'Whether it may read only; false by default.') isReadOnly?: boolean | null;
}

@InputType({ description: 'Input of `removeDeployKey`.' })
class RemoveDeployKeyInput {
  @Field(() => ID, { description: 'Repository that has the key.' }) repositoryId!: string;
  @Field(() => ID, { description: 'Key to delete.' }) sshKeyId!: string;
}

const added = (description: string) => ({ sshKey: [() => SshKey, description] }) as const;
const deleted = { deletedId: [() => ID, 'Global id of the deleted key.'] } as const;
const AddSshKeyPayload = payloadOf('addSshKey', added('SSH key that you can authenticate with from now on.'));
const RemoveSshKeyPayload = payloadOf('removeSshKey', deleted);
const AddDeployKeyPayload = payloadOf('addDeployKey', added('Deploy key that the repository has from now on.'));
const RemoveDeployKeyPayload = payloadOf('removeDeployKey', deleted);

@Resolver()
export class SshKeyMutations {
  @Access('ssh-keys:write')
  @Mutation(() => AddSshKeyPayload, { nullable: true, description: 'Adds a public SSH key of yours.' })
  async addSshKey(
    @InputArg(() => AddSshKeyInput) input: AddSshKeyInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ sshKey: SshKeyRow | null }> {
    const owner = ownKeys(context);
    return addedKey(context, owner, await addSshKey(context, owner, input), info);
  }

  @Access('ssh-keys:delete')
  @Mutation(() => RemoveSshKeyPayload, { nullable: true, description: 'Deletes a public SSH key of yours.' })
  async removeSshKey(
    @InputArg(() => RemoveSshKeyInput) { sshKeyId }: RemoveSshKeyInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    await removeSshKey(context, ownKeys(context), keyNumber(sshKeyId));
    return { deletedId: sshKeyId };
  }

  @Access('administration:write')
  @Mutation(() => AddDeployKeyPayload, {
    nullable: true,
    description: 'Adds a deploy key to a repository that you administer.',
  })
  async addDeployKey(
    @InputArg(() => AddDeployKeyInput) { repositoryId, ...input }: AddDeployKeyInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<{ sshKey: SshKeyRow | null }> {
    const owner = await deployKeysOf(context, addressOfId(repositoryId, 'repositoryId'), 'administration:write');
    return addedKey(context, owner, await addSshKey(context, owner, input), info);
  }

  @Access('administration:write')
  @Mutation(() => RemoveDeployKeyPayload, {
    nullable: true,
    description: 'Deletes a deploy key of a repository that you administer.',
  })
  async removeDeployKey(
    @InputArg(() => RemoveDeployKeyInput) { repositoryId, sshKeyId }: RemoveDeployKeyInput,
    @Ctx() context: Context,
  ): Promise<{ deletedId: string }> {
    const owner = await deployKeysOf(context, addressOfId(repositoryId, 'repositoryId'), 'administration:write');
    await removeSshKey(context, owner, keyNumber(sshKeyId));
    return { deletedId: sshKeyId };
  }
}

const keyNumber = (id: string): number => numberOfId('SshKey', id, 'sshKeyId');
const keyId = () => Arg('id', () => ID, { description: 'Global id of the key.' });

async function addedKey(context: Context, owner: SshKeyOwner, id: number, info: GraphQLResolveInfo) {
  return { sshKey: await sshKeyOf(context, owner, id, selectionOf(info).get('sshKey') ?? noSelection) };
}

@Resolver(() => Account)
export class AccountPublicKeys {
  @FieldResolver(() => PublicKeyConnection, {
    description: 'Public SSH keys of the user, without titles, oldest first. An organization has none.',
  })
  publicKeys(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<SshKeyRow> {
    return sshKeysOf(context, { kind: 'account', id: databaseId }, args, PublicKeyConnection);
  }
}

@Resolver(() => User)
export class UserSshKeys {
  @Access('ssh-keys:read')
  @FieldResolver(() => SshKeyConnection, {
    nullable: true,
    description: 'Public SSH keys of the user, oldest first; null unless you are the user.',
  })
  sshKeys(
    @Root() { databaseId }: AccountRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<SshKeyRow> | null {
    return isCaller(context.actor, databaseId) ? sshKeysOf(context, ownKeys(context), args) : null;
  }

  @Access('ssh-keys:read')
  @Cost(1)
  @FieldResolver(() => SshKey, {
    nullable: true,
    description: 'Public SSH key with this global id; null unless it is one of the user and you are the user.',
  })
  sshKey(
    @Root() { databaseId }: AccountRow,
    @keyId() id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SshKeyRow | null> | null {
    if (!isCaller(context.actor, databaseId)) return null;
    return sshKeyOf(context, ownKeys(context), numberOfId('SshKey', id, 'id'), selectionOf(info));
  }
}

@Resolver(() => Repository)
export class RepositorySshKeys {
  @Access('administration:read')
  @FieldResolver(() => SshKeyConnection, {
    nullable: true,
    description: 'Deploy keys of the repository, oldest first; null unless you administer it.',
  })
  sshKeys(
    @Root() row: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<SshKeyRow> | null {
    return mayReadField(context, row, 'sshKeys')
      ? sshKeysOf(context, { kind: 'repository', id: row.databaseId }, args)
      : null;
  }

  @Access('administration:read')
  @Cost(1)
  @FieldResolver(() => SshKey, {
    nullable: true,
    description: 'Deploy key with this global id; null if the repository has none, and unless you administer it.',
  })
  async sshKey(
    @Root() row: OwnedRow,
    @keyId() id: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SshKeyRow | null> {
    if (!mayReadField(context, row, 'sshKey')) return null;
    const owner = { kind: 'repository', id: row.databaseId } as const;
    return sshKeyOf(context, owner, numberOfId('SshKey', id, 'id'), selectionOf(info));
  }
}
