import { Arg, Args, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { AppConnection } from '../../../schema/hosting/app.ts';
import {
  BranchActors,
  BranchProtectionRule,
  BranchProtectionRuleConnection,
  ReviewPolicy,
  StatusCheckPolicy,
  type StoredActors,
} from '../../../schema/hosting/branch-protection-rule.ts';
import { Repository } from '../../../schema/hosting/repository.ts';
import { UserConnection } from '../../../schema/hosting/user-connection.ts';
import { Access } from '../../../schema/vocabulary/access.ts';
import { ConnectionArgs } from '../../../schema/vocabulary/connection.ts';
import { Cost } from '../../../schema/vocabulary/cost.ts';
import { InputArg } from '../../../schema/vocabulary/mutation.ts';
import type { Batch, Context } from '../../context/context.ts';
import { batchedList } from '../../db/batched-list.ts';
import { Connection, type ListSource } from '../../db/connection.ts';
import { type AccountRow, accountsByIds } from '../accounts/accounts.queries.ts';
import { type AppRow, appsByIds } from '../apps/apps.queries.ts';
import { mayReadField, type OwnedRow } from '../repositories/repositories.queries.ts';
import {
  ChangeBranchProtectionInput,
  ChangeBranchProtectionPayload,
  ProtectBranchInput,
  ProtectBranchPayload,
  UnprotectBranchInput,
  UnprotectBranchPayload,
} from './branch-protection-inputs.ts';
import { type ProtectionRow, protectionLists, protectionOf, protectionPath } from './branch-protections.queries.ts';
import { protectionProblems } from './protection-problems.ts';
import { changeBranchProtection, protectBranch, unprotectBranch } from './write-branch-protection.ts';

interface ActorsRow extends StoredActors {
  apiPath: string;
}

const isExpectedArg = () =>
  Arg('isExpected', () => Boolean, { defaultValue: false, description: 'Whether it is an error that there is none.' });

@Resolver(() => Repository)
export class RepositoryProtectedBranches {
  @Access('administration:read')
  @Cost(1)
  @FieldResolver(() => BranchProtectionRule, {
    nullable: true,
    description: 'Protection of a branch, for administrators. An unprotected branch is an error.',
  })
  async branchProtectionRule(
    @Root() row: OwnedRow,
    @Arg('branch', () => String, { description: 'Short name of the branch, such as `main`.' }) branch: string,
    @Ctx() context: Context,
  ): Promise<ProtectionRow | null> {
    return mayReadField(context, row, 'branchProtectionRule') ? protectionOf(context, row.databaseId, branch) : null;
  }

  @Access('administration:read')
  @FieldResolver(() => BranchProtectionRuleConnection, {
    nullable: true,
    description: 'Protected branches by name; null unless you administer the repository.',
  })
  branchProtectionRules(
    @Root() row: OwnedRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<ProtectionRow> | null {
    if (!mayReadField(context, row, 'branchProtectionRules')) return null;
    const source = batchedList(context, 'branchProtectionRules', {}, row.databaseId, protectionLists(context));
    return new Connection(BranchProtectionRuleConnection, source, args);
  }
}

@Resolver(() => BranchProtectionRule)
export class BranchProtectionFields {
  @FieldResolver(() => String, {
    description: 'Path in the API, such as `/repos/wren/boats/branches/main/protection`.',
  })
  apiPath(@Root() row: ProtectionRow): string {
    return protectionPath(row);
  }

  @FieldResolver(() => StatusCheckPolicy, { nullable: true, description: 'Required status checks; null for none.' })
  statusCheckPolicy(@Root() row: ProtectionRow, @isExpectedArg() isExpected: boolean): StatusCheckPolicy | null {
    if (row.statusChecks === null && isExpected) throw protectionProblems.noStatusChecks();
    return (
      row.statusChecks && {
        apiPath: protectionPath(row),
        isStrict: row.statusChecks.strict,
        contexts: row.statusChecks.checks.map(({ context }) => context),
        checks: row.statusChecks.checks.map(({ context, app_id }) => ({ context, appDatabaseId: app_id })),
      }
    );
  }

  @FieldResolver(() => ReviewPolicy, {
    nullable: true,
    description: 'Required reviews of pull requests; null for none.',
  })
  reviewPolicy(@Root() row: ProtectionRow, @isExpectedArg() isExpected: boolean): ReviewPolicy | null {
    if (row.reviews === null && isExpected) throw protectionProblems.noReviews();
    return (
      row.reviews && {
        apiPath: protectionPath(row),
        dismissesStaleReviews: row.reviews.dismiss_stale_reviews,
        requiresCodeOwnerReviews: row.reviews.require_code_owner_reviews,
        requiredApprovingReviewCount: row.reviews.required_approving_review_count,
        requireLastPushApproval: row.reviews.require_last_push_approval,
        dismissalActors: actorsRow(row, row.reviews.dismissal),
        bypassActors: actorsRow(row, row.reviews.bypass),
      }
    );
  }

  @FieldResolver(() => BranchActors, {
    nullable: true,
    description: 'Users and apps that may push; null for all who may write.',
  })
  pushRestrictions(@Root() row: ProtectionRow, @isExpectedArg() isExpected: boolean): ActorsRow | null {
    if (row.restrictions === null && isExpected) throw protectionProblems.noRestrictions();
    return actorsRow(row, row.restrictions);
  }

  @FieldResolver(() => BranchProtectionRule, { description: 'Rule itself, for documents that nest its properties.' })
  self(@Root() row: ProtectionRow): ProtectionRow {
    return row;
  }
}

const actorsRow = (row: ProtectionRow, actors: StoredActors | null): ActorsRow | null =>
  actors && { ...actors, apiPath: protectionPath(row) };

@Resolver(() => BranchActors)
export class BranchActorFields {
  @FieldResolver(() => UserConnection, { description: 'Users of the list, in its order.' })
  users(
    @Root() { users }: ActorsRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<AccountRow> {
    return new Connection(UserConnection, numbered(context, accountsByIds, users), args);
  }

  @FieldResolver(() => AppConnection, { description: 'Apps of the list, in its order.' })
  apps(
    @Root() { apps }: ActorsRow,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Ctx() context: Context,
  ): Connection<AppRow> {
    return new Connection(AppConnection, numbered(context, appsByIds, apps), args);
  }
}

/** A short list of rows by their numbers; deleted ones are left out of the rows. */
function numbered<Row>(context: Context, batch: Batch<number, Row | null>, ids: readonly number[]): ListSource<Row> {
  return {
    async rows({ limit, offset, wanted }) {
      const found = await context.load(batch, wanted).loadMany(ids.slice(offset, offset + limit));
      return found.flatMap(one => {
        if (one instanceof Error) throw one;
        return one === null ? [] : [one];
      });
    },
    total: async () => ids.length,
  };
}

@Resolver()
export class BranchProtectionMutations {
  @Access('administration:write')
  @Mutation(() => ProtectBranchPayload, {
    nullable: true,
    description: 'Protects a branch, or replaces its protection, for all later pushes.',
  })
  async protectBranch(
    @InputArg(() => ProtectBranchInput) input: ProtectBranchInput,
    @Ctx() context: Context,
  ): Promise<{ branchProtectionRule: ProtectionRow }> {
    return { branchProtectionRule: await protectBranch(context, input) };
  }

  @Access('administration:write')
  @Mutation(() => ChangeBranchProtectionPayload, {
    nullable: true,
    description: 'Changes settings of a protected branch. A part that is not enabled is an error.',
  })
  async changeBranchProtection(
    @InputArg(() => ChangeBranchProtectionInput) input: ChangeBranchProtectionInput,
    @Ctx() context: Context,
  ): Promise<{ branchProtectionRule: ProtectionRow }> {
    return { branchProtectionRule: await changeBranchProtection(context, input) };
  }

  @Access('administration:write')
  @Mutation(() => UnprotectBranchPayload, {
    nullable: true,
    description: 'Ends the protection of a branch. Rules of rulesets still apply.',
  })
  async unprotectBranch(
    @InputArg(() => UnprotectBranchInput) input: UnprotectBranchInput,
    @Ctx() context: Context,
  ): Promise<{ branch: string }> {
    return { branch: await unprotectBranch(context, input) };
  }
}
