import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, InputType, Int } from 'type-graphql';
import { BranchProtectionRule } from '../../../schema/hosting/branch-protection-rule.ts';
import { RepositoryRef } from '../../../schema/hosting/repository-ref.ts';
import { Limits, Needed } from '../../../schema/vocabulary/limits.ts';
import { payloadOf } from '../../../schema/vocabulary/mutation.ts';
import { OneOf } from '../../../schema/vocabulary/one-of.ts';
import { optionalField } from '../../../schema/vocabulary/optional-field.ts';
import { actorListLimits, approvalLimits, statusCheckLimits } from './protection-limits.ts';

@InputType({ description: 'Users, teams and apps by their names. There are no teams, so that list must be empty.' })
export class BranchActorsInput {
  @Limits(actorListLimits)
  @optionalField(() => [String], 'Logins of the users.')
  users?: string[] | null;
  @optionalField(() => [String], 'Slugs of the teams.') teams?: string[] | null;
  @Limits(actorListLimits)
  @optionalField(() => [String], 'Slugs of the apps.')
  apps?: string[] | null;
}

@InputType({ description: 'Users, teams and apps that may push; everybody else may not.' })
export class PushRestrictionsInput {
  @Limits(actorListLimits)
  @Field(() => [String], { description: 'Logins of the users.' })
  users!: string[];
  @Field(() => [String], { description: 'Slugs of the teams; there are none.' }) teams!: string[];
  @Limits(actorListLimits)
  @optionalField(() => [String], 'Slugs of the apps.')
  apps?: string[] | null;
}

@InputType({ description: 'Status check to require.' })
export class StatusCheckInput {
  @Limits(statusCheckLimits.name)
  @Field(() => String, { description: 'Name of the check.' })
  context!: string;
  @optionalField(() => GraphQLSafeInt, 'Number of the app that must provide it; null or -1 for any source.')
  appId?: number | null;
}

@InputType({ description: 'Status checks to require, by name or with the apps that must provide them.' })
export class StatusChecksInput {
  @Field(() => Boolean, { description: 'Whether a merged branch must be up to date with the protected one.' })
  strict!: boolean;
  @Limits(statusCheckLimits.names)
  @optionalField(() => [String], 'Names of checks; `checks` is used in their place where both are given.')
  contexts?: string[] | null;
  @Limits(statusCheckLimits.list)
  @optionalField(() => [StatusCheckInput], 'Checks with the apps that must provide them.')
  checks?: StatusCheckInput[] | null;
}

@InputType({ description: 'Reviews that pull requests need. What is absent keeps its value, or gets the default.' })
export class ReviewsInput {
  @optionalField(() => BranchActorsInput, 'Users and apps that may dismiss reviews; none for all who may write.')
  dismissalRestrictions?: BranchActorsInput | null;
  @optionalField(() => Boolean, 'Whether a new commit dismisses approving reviews.')
  dismissStaleReviews?: boolean | null;
  @optionalField(() => Boolean, 'Whether a code owner has to approve.')
  requireCodeOwnerReviews?: boolean | null;
  @Limits(approvalLimits)
  @optionalField(() => Int, 'Number of approving reviews that are needed, 0 to 6; 1 by default.')
  requiredApprovingReviewCount?: number | null;
  @optionalField(() => Boolean, 'Whether a reviewer other than the last pusher must approve.')
  requireLastPushApproval?: boolean | null;
  @optionalField(() => BranchActorsInput, 'Users and apps that may push without a pull request.')
  bypassPullRequestAllowances?: BranchActorsInput | null;
}

@OneOf()
@InputType({ description: 'Change of a list of names.' })
export class NamesChange {
  @optionalField(() => [String], 'Names to add.') add?: string[] | null;
  @optionalField(() => [String], 'Names to remove.') remove?: string[] | null;
  @optionalField(() => [String], 'Names of the whole list.') set?: string[] | null;
}

@InputType()
class ProtectedBranchInput {
  @Field(() => RepositoryRef, { description: 'Repository of the branch.' }) repository!: RepositoryRef;
  @Field(() => String, { description: 'Short name of the branch, which must exist.' }) branch!: string;
}

@InputType({
  description:
    'Input of `protectBranch`. What is absent gets the default; four fields must be given, as null for none.',
})
export class ProtectBranchInput extends ProtectedBranchInput {
  @Needed()
  @optionalField(() => StatusChecksInput, 'Status checks to require; null for none.')
  requiredStatusChecks?: StatusChecksInput | null;
  @Needed()
  @optionalField(() => Boolean, 'Whether administrators have to follow the rules as well; null is false.')
  enforceAdmins?: boolean | null;
  @Needed()
  @optionalField(() => ReviewsInput, 'Reviews to require; null for none.')
  requiredPullRequestReviews?: ReviewsInput | null;
  @Needed()
  @optionalField(() => PushRestrictionsInput, 'Users and apps that may push; null for all who may write.')
  restrictions?: PushRestrictionsInput | null;
  @optionalField(() => Boolean, 'Whether merge commits are refused; false by default.')
  requiredLinearHistory?: boolean | null;
  @optionalField(() => Boolean, 'Whether force pushes are allowed; false by default.')
  allowForcePushes?: boolean | null;
  @optionalField(() => Boolean, 'Whether the branch may be deleted; false by default.')
  allowDeletions?: boolean | null;
  @optionalField(() => Boolean, 'Whether only those who may push may create the branch; false by default.')
  blockCreations?: boolean | null;
  @optionalField(() => Boolean, 'Whether conversations must be resolved before a merge; false by default.')
  requiredConversationResolution?: boolean | null;
  @optionalField(() => Boolean, 'Whether the branch is read-only; false by default.') lockBranch?: boolean | null;
  @optionalField(() => Boolean, 'Whether a read-only branch may be synced with upstream; false by default.')
  allowForkSyncing?: boolean | null;
  @optionalField(() => Boolean, 'Whether new commits must have verified signatures; unchanged when absent.')
  requiredSignatures?: boolean | null;
}

@InputType({ description: 'Input of `changeBranchProtection`. What is absent stays unchanged.' })
export class ChangeBranchProtectionInput extends ProtectedBranchInput {
  @optionalField(() => Boolean, 'Whether administrators have to follow the rules as well.')
  enforceAdmins?: boolean | null;
  @optionalField(() => Boolean, 'Whether new commits must have verified signatures.')
  requiredSignatures?: boolean | null;
  @optionalField(() => Boolean, 'Whether merged branches must be up to date with the protected one.')
  isStrict?: boolean | null;
  @Limits(statusCheckLimits.list)
  @optionalField(() => [StatusCheckInput], 'Status checks with the apps that must provide them, in place of all.')
  checks?: StatusCheckInput[] | null;
  @Limits(statusCheckLimits.names)
  @optionalField(
    () => [String],
    'Names of required status checks, in place of all; `checks` is used if both are given.',
  )
  contextNames?: string[] | null;
  @optionalField(() => NamesChange, 'Change of the names of required status checks.') contexts?: NamesChange | null;
  @optionalField(() => Boolean, 'Whether status checks are required; only false, which removes all.')
  requiresStatusChecks?: boolean | null;
  @optionalField(() => ReviewsInput, 'Reviews to require; null for none.')
  requiredPullRequestReviews?: ReviewsInput | null;
  @optionalField(() => NamesChange, 'Logins of users who may push.') users?: NamesChange | null;
  @optionalField(() => NamesChange, 'Slugs of teams whose members may push; there are no teams.')
  teams?: NamesChange | null;
  @optionalField(() => NamesChange, 'Slugs of apps that may push.') apps?: NamesChange | null;
  @optionalField(() => Boolean, 'Whether pushes are restricted; only false, which lets all push who may write.')
  restrictsPushes?: boolean | null;
}

@InputType({ description: 'Input of `unprotectBranch`.' })
export class UnprotectBranchInput extends ProtectedBranchInput {}

export const ProtectBranchPayload = payloadOf('protectBranch', {
  branchProtectionRule: [() => BranchProtectionRule, 'Protection of the branch, as it is now.'],
});
export const ChangeBranchProtectionPayload = payloadOf('changeBranchProtection', {
  branchProtectionRule: [() => BranchProtectionRule, 'Protection of the branch, as it is now.'],
});
export const UnprotectBranchPayload = payloadOf('unprotectBranch', {
  branch: [() => String, 'Name of the branch that is no longer protected.'],
});
