import { maxStatusChecks } from '../../../schema/hosting/branch-protection-rule.ts';
import type { ListLimits, RangeLimits, TextLimits } from '../text-problems.ts';

/** Names of the users, the teams or the apps of one list. */
export const actorListLimits = { maxItems: 100 } as const satisfies ListLimits;

/** Approving reviews that can be required. */
export const approvalLimits = { minimum: 0, maximum: 6 } as const satisfies RangeLimits;

const name = { minLength: 1, maxLength: 255 } as const satisfies TextLimits;

/** Status checks that can be required, by name or with their app. */
export const statusCheckLimits = {
  name,
  names: { maxItems: maxStatusChecks, items: name },
  list: { maxItems: maxStatusChecks },
} as const;
