import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, Field, Info, Mutation, Query, Resolver } from 'type-graphql';
import { SshKey, SshKeyConnection } from '../../../schema/hosting/ssh-key.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import type { Connection } from '../../db/connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { notFound } from '../../errors/errors.ts';
import { accountByLogin } from '../accounts/accounts.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { type SshKeyRow, sshKeyOf, sshKeysOf } from './ssh-keys.queries.ts';
import { addSshKey, deployKeysOf, ownKeys, removeSshKey } from './write-ssh-key.ts';

const keyId = () => Arg('id', () => GraphQLSafeInt, { description: 'Number of the key.' });

@ArgsType()
class NewDeployKeyArgs {
  @optionalField(() => String, 'Title.') title?: string | null;
  @Field(() => String, { description: 'OpenSSH line.' }) key!: string;
  @optionalField(() => Boolean, 'Whether it may read only.') isReadOnly?: boolean | null;
}

/** Flat look-ups and writes of keys, for the REST contract. */
@Resolver()
export class RestSshKeyRoots {
  @RestOnly()
  @Access('public')
  @Query(() => SshKeyConnection, { nullable: true, description: 'Public SSH keys of any user, oldest first.' })
  async publicKeysOfUser(
    @Arg('login', () => String, { description: 'Login of the user.' }) login: string,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<SshKeyRow> | null> {
    const account = await accountByLogin(context, login, noSelection);
    return account && sshKeysOf(context, { kind: 'account', id: account.databaseId }, args);
  }

  @RestOnly()
  @Access('ssh-keys:read')
  @Query(() => SshKeyConnection, { description: 'Public SSH keys of the caller, oldest first.' })
  viewerSshKeys(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: Context): Connection<SshKeyRow> {
    return sshKeysOf(context, ownKeys(context), args);
  }

  @RestOnly()
  @Access('ssh-keys:read')
  @Query(() => SshKey, { nullable: true, description: 'Public SSH key of the caller; null for none with this number.' })
  viewerSshKey(
    @keyId() id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SshKeyRow | null> {
    return sshKeyOf(context, ownKeys(context), id, selectionOf(info));
  }

  @RestOnly()
  @Access('administration:read')
  @Query(() => SshKeyConnection, { description: 'Deploy keys of a repository, oldest first.' })
  async repositoryDeployKeys(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<SshKeyRow>> {
    return sshKeysOf(context, await deployKeysOf(context, repository, 'administration:read'), args);
  }

  @RestOnly()
  @Access('administration:read')
  @Query(() => SshKey, { nullable: true, description: 'Deploy key of a repository; null for none with this number.' })
  async repositoryDeployKey(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @keyId() id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SshKeyRow | null> {
    return sshKeyOf(context, await deployKeysOf(context, repository, 'administration:read'), id, selectionOf(info));
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => SshKey, { description: 'Adds a deploy key to a repository.' })
  async restAddDeployKey(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => NewDeployKeyArgs) args: NewDeployKeyArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SshKeyRow> {
    const owner = await deployKeysOf(context, repository, 'administration:write');
    const found = await sshKeyOf(context, owner, await addSshKey(context, owner, args), selectionOf(info));
    if (!found) throw notFound();
    return found;
  }

  @RestOnly()
  @Access('administration:write')
  @Mutation(() => Boolean, { description: 'Deletes a deploy key of a repository.' })
  async restRemoveDeployKey(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @keyId() id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await removeSshKey(context, await deployKeysOf(context, repository, 'administration:write'), id);
    return true;
  }
}
