import type { RulesetBypassValue } from '../../../schema/hosting/ruleset.ts';

/** An actor that may bypass a ruleset, as stored and published. */
export interface BypassActor {
  /** Null for `OrganizationAdmin`. */
  actor_id: number | null;
  actor_type: 'OrganizationAdmin' | 'RepositoryRole' | 'User' | 'Integration';
  bypass_mode: 'always' | 'pull_request' | 'exempt';
}

/** The identity that a bypass check is about: the pusher, or the caller that asks for `current_user_can_bypass`. */
export interface BypassPrincipal {
  /** The user, if any. */
  accountId: number | undefined;
  /** The app, when it acts for itself. */
  appId: number | undefined;
  /** Role of the user in the repository, 0 to 5. */
  role: number;
  isOrganizationAdmin: boolean;
}

/** Least repository role for each published role id. Roles below write cannot push. */
export const minRoleByRoleId: ReadonlyMap<number, number> = new Map([
  [4, 3],
  [2, 4],
  [5, 5],
]);

/** The most permissive mode in which `principal` may bypass; undefined when it may not. */
export function bypassModeOf(
  actors: readonly BypassActor[],
  principal: BypassPrincipal,
): BypassActor['bypass_mode'] | undefined {
  const modes = new Set(actors.filter(actor => matchesActor(actor, principal)).map(({ bypass_mode }) => bypass_mode));
  return (['exempt', 'always', 'pull_request'] as const).find(mode => modes.has(mode));
}

function matchesActor({ actor_type, actor_id }: BypassActor, principal: BypassPrincipal): boolean {
  switch (actor_type) {
    case 'OrganizationAdmin':
      return principal.isOrganizationAdmin;
    case 'RepositoryRole':
      return (
        principal.accountId !== undefined &&
        principal.role >= (minRoleByRoleId.get(actor_id ?? 0) ?? Number.POSITIVE_INFINITY)
      );
    case 'User':
      return principal.accountId !== undefined && principal.accountId === actor_id;
    case 'Integration':
      return principal.appId !== undefined && principal.appId === actor_id;
  }
}

/** Converts a mode to a value of `current_user_can_bypass`. */
export function toRulesetBypass(mode: BypassActor['bypass_mode'] | undefined): RulesetBypassValue {
  if (mode === undefined) return 'never';
  return mode === 'pull_request' ? 'pull_requests_only' : mode;
}
