import { GraphQLSafeInt } from 'graphql-scalars';
import { Int, ObjectType } from 'type-graphql';
import { Bool, Computed, Json, Key, Noun, Owner, Text } from '../vocabulary/columns.ts';
import { connectionOf } from '../vocabulary/connection.ts';
import { ListSize } from '../vocabulary/list-size.ts';
import { Retained } from '../vocabulary/retention.ts';
import { Unique } from '../vocabulary/table-constraints.ts';
import { Repository } from './repository.ts';

/** Accounts and apps by their numbers, as stored. */
export interface StoredActors {
  users: readonly number[];
  apps: readonly number[];
}

/** Required status checks as stored. */
export interface StoredStatusChecks {
  strict: boolean;
  checks: readonly { context: string; app_id: number | null }[];
}

/** Required reviews as stored. */
export interface StoredReviews {
  dismiss_stale_reviews: boolean;
  require_code_owner_reviews: boolean;
  required_approving_review_count: number;
  require_last_push_approval: boolean;
  /** Null for everybody who may write. */
  dismissal: StoredActors | null;
  /** Those who need no pull request. */
  bypass: StoredActors | null;
}

@ObjectType({ description: 'Users and apps that a protected branch names.', simpleResolvers: true })
export class BranchActors {
  @Computed(() => String, 'Path of the protection in the API, such as `/repos/wren/boats/branches/main/protection`.')
  apiPath!: string;
}

@ObjectType({ description: 'Status check that a protected branch requires.', simpleResolvers: true })
export class RequiredStatusCheckDescription {
  @Computed(() => String, 'Name of the check.')
  context!: string;

  @Computed(() => GraphQLSafeInt, 'Number of the app that must provide the check; null for any source.', { null: true })
  appDatabaseId!: number | null;
}

/** Maximum status checks of a protected branch. */
export const maxStatusChecks = 100;

@ObjectType({
  description: 'Status checks that a branch requires, as lists of branches have them.',
  simpleResolvers: true,
})
export class RequiredChecks {
  @Computed(() => String, 'Name of the group of callers whom the checks bind.')
  enforcementLevel!: string;

  @ListSize(maxStatusChecks)
  @Computed(() => [String], 'Names of the required checks.')
  contexts!: string[];

  @ListSize(maxStatusChecks)
  @Computed(() => [RequiredStatusCheckDescription], 'Required checks with the apps that must provide them.')
  checks!: RequiredStatusCheckDescription[];
}

@ObjectType({
  description: 'Status checks that a protected branch requires. They are stored; nothing reports checks.',
  simpleResolvers: true,
})
export class StatusCheckPolicy {
  @Computed(() => String, 'Path of the protection in the API, such as `/repos/wren/boats/branches/main/protection`.')
  apiPath!: string;

  @Computed(() => Boolean, 'Whether a merged branch must be up to date with the protected one.')
  isStrict!: boolean;

  @ListSize(maxStatusChecks)
  @Computed(() => [String], 'Names of the checks.')
  contexts!: string[];

  @ListSize(maxStatusChecks)
  @Computed(() => [RequiredStatusCheckDescription], 'Checks with the apps that must provide them.')
  checks!: RequiredStatusCheckDescription[];
}

@ObjectType({
  description: 'Reviews that pull requests to a protected branch need. Direct pushes are refused.',
  simpleResolvers: true,
})
export class ReviewPolicy {
  @Computed(() => String, 'Path of the protection in the API, such as `/repos/wren/boats/branches/main/protection`.')
  apiPath!: string;

  @Computed(() => Boolean, 'Whether a new commit dismisses approving reviews.')
  dismissesStaleReviews!: boolean;

  @Computed(() => Boolean, 'Whether a code owner has to approve.')
  requiresCodeOwnerReviews!: boolean;

  @Computed(() => Int, 'Number of approving reviews that are needed, 0 to 6.')
  requiredApprovingReviewCount!: number;

  @Computed(() => Boolean, 'Whether a reviewer other than the last pusher must approve.')
  requireLastPushApproval!: boolean;

  @Computed(() => BranchActors, 'Users and apps that may dismiss reviews; null for all who may write.', { null: true })
  dismissalActors!: BranchActors | null;

  @Computed(() => BranchActors, 'Users and apps that may push without a pull request; null for none.', { null: true })
  bypassActors!: BranchActors | null;
}

@Noun('branch_protection_rule', 'Protection of one branch, evaluated for every push to it.')
@Retained<BranchProtectionRule>({ rows: 'until the protection or the repository is deleted' })
@Unique<BranchProtectionRule>('branch_protection_rule_pattern_key', ['repositoryId', 'pattern'])
export class BranchProtectionRule {
  @Key()
  id!: number;

  /** The field is that of a node. */
  databaseId!: number;

  @Owner(() => Repository, { onDelete: 'cascade' })
  repositoryId!: number;

  @Text({ about: 'Name of the branch, without wildcards.' })
  pattern!: string;

  @Bool({ about: 'Whether administrators have to follow the rules as well.' })
  isAdminEnforced!: boolean;

  @Bool({ about: 'Whether new commits must have verified signatures.' })
  requiresCommitSignatures!: boolean;

  @Bool({ about: 'Whether merge commits are refused.' })
  requiresLinearHistory!: boolean;

  @Bool({ about: 'Whether updates that are no fast-forward are allowed.' })
  allowsForcePushes!: boolean;

  @Bool({ about: 'Whether the branch may be deleted.' })
  allowsDeletions!: boolean;

  @Bool({ about: 'Whether only those who may push may create the branch.' })
  blocksCreations!: boolean;

  @Bool({ about: 'Whether conversations must be resolved before a merge. It is stored; there are no conversations.' })
  requiresConversationResolution!: boolean;

  @Bool({ about: 'Whether the branch is read-only.' })
  lockBranch!: boolean;

  @Bool({ about: 'Whether a read-only branch may be synced with the upstream repository. It is stored.' })
  lockAllowsFetchAndMerge!: boolean;

  @Json(() => StatusCheckPolicy, { hidden: true, null: true })
  statusChecks!: StoredStatusChecks | null;

  @Json(() => ReviewPolicy, { hidden: true, null: true })
  reviews!: StoredReviews | null;

  /** Those who may push; null for all who may write. */
  @Json(() => BranchActors, { hidden: true, null: true })
  restrictions!: StoredActors | null;
}

export const BranchProtectionRuleConnection = connectionOf(
  'BranchProtectionRule',
  () => BranchProtectionRule,
  'protected branches',
);
