import type {
  BranchProtectionRule,
  StoredActors,
  StoredReviews,
  StoredStatusChecks,
} from '../../../schema/hosting/branch-protection-rule.ts';
import { maxStatusChecks } from '../../../schema/hosting/branch-protection-rule.ts';
import { isStorableText } from '../../db/storable-text.ts';
import { isTooLong } from '../text-problems.ts';
import type {
  BranchActorsInput,
  ChangeBranchProtectionInput,
  NamesChange,
  ProtectBranchInput,
  ReviewsInput,
  StatusCheckInput,
  StatusChecksInput,
} from './branch-protection-inputs.ts';
import type { KnownActors } from './known-actors.ts';
import { approvalLimits, statusCheckLimits } from './protection-limits.ts';
import { protectionProblems } from './protection-problems.ts';

/** What is stored of a protected branch. */
export type Settings = Omit<BranchProtectionRule, 'id' | 'databaseId' | 'repositoryId' | 'pattern'>;

const required = {
  requiredStatusChecks: 'required_status_checks',
  enforceAdmins: 'enforce_admins',
  requiredPullRequestReviews: 'required_pull_request_reviews',
  restrictions: 'restrictions',
} as const;

/** The settings of a branch that is protected anew; `before` is its former protection. @throws 422 */
export function newSettings(input: ProtectBranchInput, before: Settings | null, known: KnownActors): Settings {
  const missing = Object.entries(required).filter(([name]) => input[name as keyof typeof required] === undefined);
  if (missing.length > 0) throw protectionProblems.notSupplied(missing.map(([, published]) => published));
  const { requiredStatusChecks, requiredPullRequestReviews, restrictions } = input;
  return {
    isAdminEnforced: input.enforceAdmins ?? false,
    requiresCommitSignatures: input.requiredSignatures ?? before?.requiresCommitSignatures ?? false,
    requiresLinearHistory: input.requiredLinearHistory ?? false,
    allowsForcePushes: input.allowForcePushes ?? false,
    allowsDeletions: input.allowDeletions ?? false,
    blocksCreations: input.blockCreations ?? false,
    requiresConversationResolution: input.requiredConversationResolution ?? false,
    lockBranch: input.lockBranch ?? false,
    lockAllowsFetchAndMerge: input.allowForkSyncing ?? false,
    statusChecks: requiredStatusChecks == null ? null : newStatusChecks(requiredStatusChecks),
    reviews: requiredPullRequestReviews == null ? null : changedReviews(null, requiredPullRequestReviews, known),
    restrictions: restrictions == null ? null : known.numbersOf(restrictions),
  };
}

/** The settings after a change of some. @throws 404 for a part that is not enabled; 422 */
export function changedSettings(before: Settings, input: ChangeBranchProtectionInput, known: KnownActors): Settings {
  return {
    ...before,
    isAdminEnforced: input.enforceAdmins ?? before.isAdminEnforced,
    requiresCommitSignatures: input.requiredSignatures ?? before.requiresCommitSignatures,
    statusChecks: changedStatusChecks(before.statusChecks, input),
    reviews: reviewsAfter(before.reviews, input, known),
    restrictions: changedRestrictions(before.restrictions, input, known),
  };
}

function newStatusChecks({ strict, contexts, checks }: StatusChecksInput): StoredStatusChecks {
  if (contexts == null && checks == null) throw protectionProblems.notSupplied(['contexts']);
  return { strict, checks: storedChecks(checks ?? (contexts ?? []).map(context => ({ context }))) };
}

function changedStatusChecks(
  before: StoredStatusChecks | null,
  { isStrict, checks, contextNames, contexts, requiresStatusChecks }: ChangeBranchProtectionInput,
): StoredStatusChecks | null {
  const changes = [isStrict, checks, contextNames, contexts, requiresStatusChecks];
  if (changes.every(one => one == null)) return before;
  if (before === null) throw protectionProblems.noStatusChecks();
  if (requiresStatusChecks === false) return null;
  const strict = isStrict ?? before.strict;
  if (checks != null) return { strict, checks: storedChecks(checks) };
  const names = contextNames == null ? contexts : { set: contextNames };
  if (names == null) return { ...before, strict };
  const kept = new Map(before.checks.map(check => [check.context, check] as const));
  const after = namesAfter([...kept.keys()], names);
  return {
    strict,
    checks: storedChecks(after.map(context => ({ context, appId: kept.get(context)?.app_id ?? null }))),
  };
}

/** A list of names after a change. */
function namesAfter(before: readonly string[], { add, remove, set }: NamesChange): string[] {
  if (set != null) return [...new Set(set)];
  if (add != null) return [...new Set([...before, ...add])];
  const removed = new Set(remove);
  return before.filter(name => !removed.has(name));
}

/** Checks without repetitions. @throws 422 */
function storedChecks(checks: readonly StatusCheckInput[]): StoredStatusChecks['checks'] {
  if (checks.length > maxStatusChecks)
    throw protectionProblems.custom('contexts', `A branch requires at most ${maxStatusChecks} status checks.`);
  const byName = new Map<string, StoredStatusChecks['checks'][number]>();
  for (const { context, appId } of checks) {
    if (context === '' || isTooLong(context, statusCheckLimits.name.maxLength) || !isStorableText(context))
      throw protectionProblems.invalid('contexts', context);
    // -1 allows any source, as the absence of an app does.
    byName.set(context, { context, app_id: appId == null || appId === -1 ? null : appId });
  }
  return [...byName.values()];
}

const reviewDefaults: StoredReviews = {
  dismiss_stale_reviews: false,
  require_code_owner_reviews: false,
  required_approving_review_count: 1,
  require_last_push_approval: false,
  dismissal: null,
  bypass: null,
};

function reviewsAfter(
  before: StoredReviews | null,
  { requiredPullRequestReviews: change }: ChangeBranchProtectionInput,
  known: KnownActors,
): StoredReviews | null {
  if (change === undefined) return before;
  if (change !== null) return changedReviews(before, change, known);
  if (before === null) throw protectionProblems.noReviews();
  return null;
}

function changedReviews(before: StoredReviews | null, input: ReviewsInput, known: KnownActors): StoredReviews {
  const old = before ?? reviewDefaults;
  const count = input.requiredApprovingReviewCount ?? old.required_approving_review_count;
  if (count < approvalLimits.minimum || count > approvalLimits.maximum)
    throw protectionProblems.custom(
      'required_approving_review_count',
      `required_approving_review_count must be from ${approvalLimits.minimum} to ${approvalLimits.maximum}.`,
    );
  const actors = (list: BranchActorsInput | null | undefined, kept: StoredActors | null): StoredActors | null => {
    if (list === undefined) return kept;
    // An empty object ends the restriction.
    return list === null || Object.values(list).every(one => one == null) ? null : known.numbersOf(list);
  };
  return {
    dismiss_stale_reviews: input.dismissStaleReviews ?? old.dismiss_stale_reviews,
    require_code_owner_reviews: input.requireCodeOwnerReviews ?? old.require_code_owner_reviews,
    required_approving_review_count: count,
    require_last_push_approval: input.requireLastPushApproval ?? old.require_last_push_approval,
    dismissal: actors(input.dismissalRestrictions, old.dismissal),
    bypass: actors(input.bypassPullRequestAllowances, old.bypass),
  };
}

function changedRestrictions(
  before: StoredActors | null,
  { users, teams, apps, restrictsPushes }: ChangeBranchProtectionInput,
  known: KnownActors,
): StoredActors | null {
  if ([users, teams, apps, restrictsPushes].every(one => one == null)) return before;
  if (before === null) throw protectionProblems.noRestrictions();
  if (restrictsPushes === false) return null;
  if (teams != null) known.numbersOf({ teams: teams.set ?? teams.add ?? [] });
  const change = (kind: 'users' | 'apps', list: NamesChange | null | undefined): readonly number[] => {
    if (list == null) return before[kind];
    const numbers = (names: string[] | null | undefined): readonly number[] =>
      known.numbersOf({ [kind]: names ?? [] })[kind];
    if (list.set != null) return numbers(list.set);
    if (list.add != null) return [...new Set([...before[kind], ...numbers(list.add)])];
    const removed = new Set(numbers(list.remove));
    return before[kind].filter(number => !removed.has(number));
  };
  const after = { users: change('users', users), apps: change('apps', apps) };
  known.assertCount(after.users.length + after.apps.length);
  return after;
}
