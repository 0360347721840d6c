import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import {
  CommitContent,
  CommitForm,
  type CommitFormName,
  ComparisonContent,
} from '../../../schema/hosting/commit-documents.ts';
import { Commit, CommitHistoryConnection } from '../../../schema/hosting/git-object.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { GitTimestamp } from '../../../schema/vocabulary/git-scalars.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import type { Context } from '../../context/context.ts';
import { Connection } from '../../db/connection.ts';
import type { GitObjectRow } from '../git-data/git-objects.queries.ts';
import { placeOf } from '../git-data/git-place.ts';
import type { OwnedRow } from '../repositories/repositories.queries.ts';
import { textOfCommit } from './commit-changes.ts';
import { compareRevisions, diffRevisions, patchRevisions } from './compare-revisions.ts';
import { commitAt, commitsFrom } from './repository-commits.queries.ts';

@ArgsType()
class CommitListArgs extends ConnectionArgs {
  @optionalField(() => String, 'Branch, tag or commit id; the default branch when absent.') revision?: string | null;
  @optionalField(() => String, 'Path of a file or directory: only commits that changed it.') path?: string | null;
  @optionalField(() => String, 'Login or email address of the author.') author?: string | null;
  @optionalField(() => String, 'Login or email address of the committer.') committer?: string | null;
  @optionalField(() => GitTimestamp, 'Only commits from this committer date on.') since?: string | null;
  @optionalField(() => GitTimestamp, 'Only commits up to this committer date.') until?: string | null;
}

@ArgsType()
class ComparisonArgs {
  @Field(() => String, {
    description: 'Base and head: `main...feature`; of forks: `main...owner:main`, `main...owner:repository:main`.',
  })
  range!: string;
  @Field(() => Int, { defaultValue: 250, description: 'Commits of a page, at most 250.' }) pageSize!: number;
  @Field(() => Int, { defaultValue: 1, description: 'Page of the commits, from 1.' }) pageNumber!: number;
  @Field(() => CommitForm, { defaultValue: 'JSON', description: 'Form of the comparison; an id has none.' })
  form!: CommitFormName;
}

const revisionArg = () => Arg('revision', () => String, { description: 'Branch, tag or commit id.' });
const anError = 'An unknown revision is an error, as is an empty repository.';
const text = (of: string) => ({ __typename: 'PlainText', text: of }) as const;

@Resolver(() => Repository)
export class RepositoryCommits {
  @Access('contents:read')
  @Cost(5)
  @FieldResolver(() => Commit, { nullable: true, description: `Commit that a revision names. ${anError}` })
  async commit(
    @Root() row: OwnedRow,
    @revisionArg() revision: string,
    @Ctx() context: Context,
  ): Promise<GitObjectRow | null> {
    const place = await placeOf(context, row);
    return place && commitAt(context, place, revision);
  }

  @Access('contents:read')
  @Cost(100)
  @FieldResolver(() => CommitContent, {
    nullable: true,
    description: `Commit that a revision names, as an object or as text. ${anError}`,
  })
  async commitContent(
    @Root() row: OwnedRow,
    @revisionArg() revision: string,
    @Arg('form', () => CommitForm, { defaultValue: 'JSON', description: 'Form of the commit.' }) form: CommitFormName,
    @Ctx() context: Context,
  ) {
    const place = await placeOf(context, row);
    if (!place) return null;
    const commit = await commitAt(context, place, revision);
    if (form === 'JSON') return commit;
    return text(form === 'SHA' ? commit.oid : await textOfCommit(context, commit, form));
  }

  @Access('contents:read')
  @Cost(5, { path: 100, author: 100, committer: 100, since: 20, until: 20 })
  @FieldResolver(() => CommitHistoryConnection, {
    nullable: true,
    description: `Commits reachable from a revision, newest first. ${anError}`,
  })
  async commits(
    @Root() row: OwnedRow,
    @Args(() => CommitListArgs) args: CommitListArgs,
    @Ctx() context: Context,
  ): Promise<Connection<GitObjectRow> | null> {
    const place = await placeOf(context, row);
    return place && new Connection(CommitHistoryConnection, await commitsFrom(context, place, args), args);
  }

  @Access('contents:read')
  @Cost(100)
  @FieldResolver(() => ComparisonContent, {
    nullable: true,
    description: `Comparison of two commits, as an object or as text. ${anError}`,
  })
  async comparison(
    @Root() row: OwnedRow,
    @Args(() => ComparisonArgs) { range, pageSize, pageNumber, form }: ComparisonArgs,
    @Ctx() context: Context,
  ) {
    const place = await placeOf(context, row);
    if (!place) return null;
    if (form === 'DIFF') return text(await diffRevisions(context, place, range));
    if (form === 'PATCH') return text(await patchRevisions(context, place, range));
    const limit = Math.max(1, Math.min(250, pageSize));
    const bounds = { skip: (Math.max(1, pageNumber) - 1) * limit, limit };
    return { __typename: 'CommitComparison', ...(await compareRevisions(context, place, range, bounds)) } as const;
  }
}
