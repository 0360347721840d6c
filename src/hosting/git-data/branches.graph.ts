import { Arg, Args, Ctx, Field, FieldResolver, InputType, Mutation, Resolver, Root } from 'type-graphql';
import { RequiredChecks } from '../../../schema/hosting/branch-protection-rule.ts';
import { FoundBranch } from '../../../schema/hosting/commit-documents.ts';
import { Commit } from '../../../schema/hosting/git-object.ts';
import { Ref, RefConnection } from '../../../schema/hosting/ref.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg, payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { Uri } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { encodePath } from '../contents/content-location.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { addressOfRef } from '../repositories/repository-ref.ts';
import {
  branchesOf,
  branchesWithHead,
  branchName,
  findBranch,
  findBranchOrRenamed,
  isProtected,
  requiredChecksOf,
} from './branches.queries.ts';
import { findGitObject, type GitObjectRow } from './git-objects.queries.ts';
import { placeOf } from './git-place.ts';
import type { RefRow } from './refs.queries.ts';
import { renameBranch } from './rename-branch.ts';

@InputType({ description: 'Input of `renameBranch`.' })
class RenameBranchInput {
  @Field(() => RepositoryRef, { description: 'Repository of the branch.' }) repository!: RepositoryRef;
  @Field(() => String, { description: 'Short name of the branch.' }) name!: string;
  @Field(() => String, { description: 'New short name.' }) newName!: string;
}

const RenameBranchPayload = payloadOf('renameBranch', { ref: [() => Ref, 'Branch by its new name.'] });

const nameArg = (description: string) => Arg('name', () => String, { description });

@Resolver(() => Repository)
export class RepositoryBranches {
  @Access('contents:read')
  @FieldResolver(() => RefConnection, { nullable: true, description: 'Branches by name.' })
  async branches(
    @Root() row: OwnedRow,
    @Arg('isProtected', () => Boolean, {
      nullable: true,
      description:
        'Whether an active rule applies; all when absent. More than 1,000 branches to evaluate are an error.',
    })
    wanted: boolean | null | undefined,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RefRow> | null> {
    const place = await placeOf(context, row);
    return place && new Connection(RefConnection, branchesOf(context, place, wanted), args);
  }

  @Access('contents:read')
  @FieldResolver(() => Ref, { nullable: true, description: 'Branch with this name; an error when there is none.' })
  async branch(
    @Root() row: OwnedRow,
    @nameArg('Short name of the branch, such as `main`.') name: string,
    @Ctx() context: Context,
  ): Promise<RefRow | null> {
    const place = await placeOf(context, row);
    return place && findBranch(context, place, name);
  }

  @Access('contents:read')
  @FieldResolver(() => FoundBranch, {
    nullable: true,
    description: 'Branch with this name, or where it is that had this name before; an error when there is none.',
  })
  async branchOrRenamed(
    @Root() row: OwnedRow,
    @nameArg('Present or former short name of the branch.') name: string,
    @Ctx() context: Context,
  ) {
    const place = await placeOf(context, row);
    return place && findBranchOrRenamed(context, place, name);
  }

  @Access('contents:read')
  @Cost(1)
  @FieldResolver(() => RefConnection, {
    nullable: true,
    description: 'Branches that point to a commit, at most 100. An unknown commit is an error.',
  })
  async branchesWithHead(
    @Root() row: OwnedRow,
    @Arg('oid', () => String, { description: 'Id of the commit: 40 hexadecimal digits.' }) oid: string,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RefRow> | null> {
    const place = await placeOf(context, row);
    return place && new Connection(RefConnection, branchesWithHead(context, place, oid), args);
  }
}

@Resolver()
export class BranchMutations {
  @Access('contents:write')
  @Mutation(() => RenameBranchPayload, {
    nullable: true,
    description: 'Renames a branch. The default branch stays the default branch.',
  })
  async renameBranch(
    @InputArg(() => RenameBranchInput) { repository, ...names }: RenameBranchInput,
    @Ctx() context: Context,
  ): Promise<{ ref: RefRow }> {
    return { ref: await renameBranch(context, addressOfRef(repository), names) };
  }
}

@Resolver(() => Ref)
export class BranchFields {
  @Cost(1)
  @FieldResolver(() => Boolean, {
    description: 'Whether the branch is protected, or an active rule of a ruleset applies.',
  })
  isProtected(@Root() ref: RefRow, @Ctx() context: Context): Promise<boolean> {
    return isProtected(context, ref);
  }

  @Cost(1)
  @FieldResolver(() => RequiredChecks, { description: 'Status checks that the protection of the branch requires.' })
  requiredChecks(@Root() ref: RefRow, @Ctx() context: Context): Promise<RequiredChecks> {
    return requiredChecksOf(context, ref);
  }

  @FieldResolver(() => Ref, { description: 'Ref itself, for documents that nest its properties.' })
  self(@Root() ref: RefRow): RefRow {
    return ref;
  }

  @FieldResolver(() => Uri, { description: 'Path of the page: `/owner/name/tree/main`.' })
  resourcePath(@Root() ref: RefRow): string {
    const { place, fullName } = ref;
    return `/${place.ownerLogin}/${place.name}/tree/${encodePath(branchName(ref) ?? fullName)}`;
  }

  @FieldResolver(() => Commit, {
    nullable: true,
    description: 'Commit that the ref points to; null for another object.',
  })
  async commit(@Root() { place, oid }: RefRow, @Ctx() context: Context): Promise<GitObjectRow | null> {
    const found = await findGitObject(context, place, oid);
    return found?.__typename === 'Commit' ? found : null;
  }
}
