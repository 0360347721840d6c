import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import {
  BranchDocument,
  BranchDocumentConnection,
  FoundBranch,
  RepositoryCommit,
  type TagDocument,
  TagDocumentConnection,
} from '../../../schema/hosting/commit-documents.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { loadRepositoryCommits, type RepositoryCommitRow } from '../commits/repository-commits.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import {
  type BranchRow,
  branchesWithHead,
  findBranch,
  findBranchOrRenamed,
  isProtected,
  listBranches,
  listTags,
} from './branches.queries.ts';
import { renameBranch } from './rename-branch.ts';

/** Branches and tags as documents, for the REST contract. */
@Resolver()
export class RestBranches {
  @RestOnly()
  @Access('contents:read')
  @Query(() => BranchDocumentConnection, { description: 'Branches of a repository, by name.' })
  async repositoryBranches(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('protected', () => Boolean, {
      nullable: true,
      description: 'Whether an active rule applies; all when absent.',
    })
    wanted: boolean | undefined,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<BranchRow>> {
    return new Connection(BranchDocumentConnection, await listBranches(context, repository, wanted), args);
  }

  @RestOnly()
  @Access('contents:read')
  @Query(() => BranchDocument, { description: 'Branch by its name.' })
  repositoryBranch(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('branch', () => String, { description: 'Short name.' }) branch: string,
    @Ctx() context: Context,
  ): Promise<BranchRow> {
    return findBranch(context, repository, branch);
  }

  @RestOnly()
  @Access('contents:read')
  @Query(() => FoundBranch, { description: 'Branch by its name, or where the branch is that had this name before.' })
  branchOrRenamed(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('branch', () => String, { description: 'Short name.' }) branch: string,
    @Ctx() context: Context,
  ): Promise<object> {
    return findBranchOrRenamed(context, repository, branch);
  }

  @RestOnly()
  @Access('contents:read')
  @Query(() => [BranchDocument], { description: 'Branches whose tip is a commit, at most 100.' })
  branchesWithHead(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('sha', () => String, { description: 'Id of the commit.' }) sha: string,
    @Ctx() context: Context,
  ): Promise<BranchRow[]> {
    return branchesWithHead(context, repository, sha);
  }

  @RestOnly()
  @Access('contents:read')
  @Query(() => TagDocumentConnection, { description: 'Tags of a repository, by name.' })
  async repositoryTags(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<TagDocument>> {
    return new Connection(TagDocumentConnection, await listTags(context, repository), args);
  }
}

@Resolver()
export class RestBranchMutations {
  @RestOnly()
  @Access('contents:write')
  @Mutation(() => BranchDocument, { description: 'Renames a branch.' })
  restRenameBranch(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('branch', () => String, { description: 'Short name.' }) name: string,
    @Arg('newName', () => String, { description: 'New short name.' }) newName: string,
    @Ctx() context: Context,
  ): Promise<BranchRow> {
    return renameBranch(context, repository, { name, newName });
  }
}

@Resolver(() => BranchDocument)
export class BranchDocumentFields {
  @FieldResolver(() => Boolean, { description: 'Whether an active rule of a ruleset applies to the branch.' })
  isProtected(@Root() branch: BranchRow, @Ctx() context: Context): Promise<boolean> {
    return isProtected(context, branch);
  }

  @FieldResolver(() => BranchDocument, { description: 'Branch itself, for objects that repeat its properties.' })
  self(@Root() branch: BranchRow): BranchRow {
    return branch;
  }

  @FieldResolver(() => RepositoryCommit, { nullable: true, description: 'Commit at the tip, with its fields.' })
  async tip(@Root() { place, commit }: BranchRow, @Ctx() context: Context): Promise<RepositoryCommitRow | null> {
    return (await loadRepositoryCommits(context, place, [commit.sha]))[0] ?? null;
  }
}
