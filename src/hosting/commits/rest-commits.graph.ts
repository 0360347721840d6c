import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { User } from '../../../schema/hosting/account.ts';
import {
  CommitContent,
  CommitFile,
  CommitForm,
  type CommitFormName,
  CommitStats,
  RepositoryCommit,
  RepositoryCommitConnection,
} from '../../../schema/hosting/commit-documents.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { GitTimestamp } from '../../../schema/vocabulary/git-scalars.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { RestOnly } from '../../../schema/vocabulary/rest-only.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import { noSelection, selectionOf } from '../../db/selection.ts';
import { openRepository } from '../../git/repository.ts';
import { compute } from '../../workers/computation.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type OwnedRow, repositoriesByIds } from '../repositories/repositories.queries.ts';
import { RepositoryArgs } from '../repositories/repository-args.ts';
import { type CommitChanges, compareCommits } from './commit-changes.ts';
import { diffComputation, patchesComputation } from './commit-computations.ts';
import { loadUserIdsByEmail } from './git-actors.queries.ts';
import { findRepositoryCommit, listRepositoryCommits, type RepositoryCommitRow } from './repository-commits.queries.ts';

@ArgsType()
class CommitListArgs extends ConnectionArgs {
  @optionalField(() => String, 'Branch, tag or commit id; the default branch when absent.') sha?: string | null;
  @optionalField(() => String, 'Path of a file or directory: only commits that changed it.') path?: string | null;
  @optionalField(() => String, 'Login or email address of the author.') author?: string | null;
  @optionalField(() => String, 'Login or email address of the committer.') committer?: string | null;
  @optionalField(() => GitTimestamp, 'Only commits from this committer date on.') since?: string | null;
  @optionalField(() => GitTimestamp, 'Only commits up to this committer date.') until?: string | null;
}

@ArgsType()
class FilePageArgs {
  @Field(() => Int, { nullable: true, description: 'Files of a page, at most 300.' }) first?: number | null;
  @Field(() => Int, { nullable: true, description: 'Page of the files, from 1.' }) page?: number | null;
}

/** The changes of the commits of one request, each compared with its first parent once. */
const changesByRow = new WeakMap<RepositoryCommitRow, Promise<CommitChanges>>();

function changesOf(context: Context, row: RepositoryCommitRow): Promise<CommitChanges> {
  const known = changesByRow.get(row);
  if (known) return known;
  const { place, sha, parents } = row;
  const store = openRepository(context, place.databaseId);
  const changes = compareCommits(context, { place, store, before: parents[0]?.sha, after: sha });
  changesByRow.set(row, changes);
  return changes;
}

/** The changes of a commit; of a merge, as a patch, the commits that it brings. */
function textOf(context: Context, row: RepositoryCommitRow, form: 'DIFF' | 'PATCH'): Promise<string> {
  const { place, sha: head, parents } = row;
  const [repositoryId, base] = [place.databaseId, parents[0]?.sha];
  if (form === 'PATCH') return compute(context, patchesComputation, { repositoryId, base, head });
  return compute(context, diffComputation, { repositoryId, before: base, after: head });
}

/** Commits as documents, for the REST contract. */
@Resolver()
export class RestCommits {
  @RestOnly()
  @Access('contents:read')
  @Cost(100)
  @Query(() => RepositoryCommitConnection, { description: 'Commits of a repository, newest first.' })
  async repositoryCommits(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Args(() => CommitListArgs) args: CommitListArgs,
    @Ctx() context: Context,
  ): Promise<Connection<RepositoryCommitRow>> {
    const last = (args.page ?? 1) * (args.first ?? 1);
    return new Connection(
      RepositoryCommitConnection,
      await listRepositoryCommits(context, repository, args, last),
      args,
    );
  }

  @RestOnly()
  @Access('contents:read')
  @Cost(100)
  @Query(() => CommitContent, { description: 'Commit that a branch, tag or id names.' })
  async repositoryCommit(
    @Args(() => RepositoryArgs) repository: RepositoryArgs,
    @Arg('ref', () => String, { description: 'Branch, tag or commit id.' }) ref: string,
    @Arg('form', () => CommitForm, { defaultValue: 'JSON', description: 'Form of the answer.' }) form: CommitFormName,
    @Ctx() context: Context,
  ): Promise<object> {
    const row = await findRepositoryCommit(context, repository, ref);
    if (form === 'SHA') return { __typename: 'PlainText', text: row.sha };
    if (form === 'DIFF' || form === 'PATCH') return { __typename: 'PlainText', text: await textOf(context, row, form) };
    return Object.assign(row, { __typename: 'RepositoryCommit' });
  }
}

/** The account of an email address; null where nobody has published it. */
async function accountOfEmail(context: Context, email: string, info: GraphQLResolveInfo): Promise<AccountRow | null> {
  const id = await context.load(loadUserIdsByEmail, noSelection).load(email);
  return id === null ? null : context.load(accountsByIds, selectionOf(info)).load(id);
}

@Resolver(() => RepositoryCommit)
export class RepositoryCommitFields {
  @FieldResolver(() => User, { nullable: true, description: 'Account of the author; null for none.' })
  author(@Root() { commit }: RepositoryCommitRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo) {
    return accountOfEmail(context, commit.author.email, info);
  }

  @FieldResolver(() => User, { nullable: true, description: 'Account of the committer; null for none.' })
  committer(@Root() { commit }: RepositoryCommitRow, @Ctx() context: Context, @Info() info: GraphQLResolveInfo) {
    return accountOfEmail(context, commit.committer.email, info);
  }

  @FieldResolver(() => Repository, { description: 'Repository of the commit.' })
  repository(
    @Root() { place }: RepositoryCommitRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<OwnedRow | null> {
    return context.load(repositoriesByIds, selectionOf(info)).load(place.databaseId);
  }

  @FieldResolver(() => CommitStats, { description: 'Changed lines, compared with the first parent.' })
  async stats(@Root() row: RepositoryCommitRow, @Ctx() context: Context): Promise<CommitStats> {
    return (await changesOf(context, row)).stats;
  }

  @FieldResolver(() => [CommitFile], { description: 'Changed files, compared with the first parent; at most 3,000.' })
  async files(
    @Root() row: RepositoryCommitRow,
    @Args(() => FilePageArgs) { first, page }: FilePageArgs,
    @Ctx() context: Context,
  ): Promise<CommitFile[]> {
    const size = Math.max(1, Math.min(300, first ?? 300));
    const from = (Math.max(1, page ?? 1) - 1) * size;
    return (await changesOf(context, row)).files.slice(from, from + size);
  }
}
