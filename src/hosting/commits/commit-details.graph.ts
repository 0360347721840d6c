import { Args, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { type CommitFile, CommitFileConnection, FilePageArgs } from '../../../schema/hosting/commit-change.ts';
import { CommitVerification } from '../../../schema/hosting/git-commit.ts';
import { Commit, GitActor } from '../../../schema/hosting/git-object.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { DateTime } from '../../../schema/vocabulary/scalars.ts';
import type { Context } from '../../context/context.ts';
import { Connection, listed } from '../../db/connection.ts';
import type { GitObjectRow } from '../git-data/git-objects.queries.ts';
import { changesOf } from './commit-changes.ts';
import { verificationOf } from './commit-verification.ts';
import type { GitActorRow } from './commits.graph.ts';
import { takeCommitText } from './git-commit.ts';

/** What a commit has beside what git stores: its verdict, and its changes compared with its first parent. */
@Resolver(() => Commit)
export class CommitDetails {
  @FieldResolver(() => Commit, { description: 'Commit itself, for documents that nest its properties.' })
  self(@Root() row: GitObjectRow): GitObjectRow {
    return row;
  }

  @Cost(1)
  @FieldResolver(() => CommitVerification, { description: 'Verification of the signature, or of its absence.' })
  async verification(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<CommitVerification> {
    const { reason, signature, payload, verifiedAt } = await verificationOf(context, row);
    takeCommitText(context, (signature?.length ?? 0) + (payload?.length ?? 0));
    return { isValid: reason === 'valid', state: reason, signature, payload, verifiedAt };
  }

  @Cost(100)
  @FieldResolver(() => Int, { description: 'Lines added, compared with the first parent.' })
  async additions(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<number> {
    return (await changesOf(context, row)).stats.additions;
  }

  @Cost(100)
  @FieldResolver(() => Int, { description: 'Lines deleted, compared with the first parent.' })
  async deletions(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<number> {
    return (await changesOf(context, row)).stats.deletions;
  }

  @Cost(100)
  @FieldResolver(() => Int, { description: 'Lines added and deleted, compared with the first parent.' })
  async changedLines(@Root() row: GitObjectRow, @Ctx() context: Context): Promise<number> {
    const { additions, deletions } = (await changesOf(context, row)).stats;
    return additions + deletions;
  }

  @Cost(100)
  @FieldResolver(() => CommitFileConnection, {
    description: 'Files changed, compared with the first parent, by path; at most 3,000.',
  })
  files(
    @Root() row: GitObjectRow,
    @Args(() => FilePageArgs) args: FilePageArgs,
    @Ctx() context: Context,
  ): Connection<CommitFile> {
    const source = listed(async () => (await changesOf(context, row)).files);
    return new Connection(CommitFileConnection, source, args);
  }
}

@Resolver(() => GitActor)
export class GitActorTime {
  @FieldResolver(() => DateTime, { description: 'Time in UTC.' })
  dateInUtc(@Root() { date }: GitActorRow): string {
    return date;
  }
}
