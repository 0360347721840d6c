import type { RulesetBypassValue } from '../../../schema/hosting/ruleset.ts';

/** Who may bypass a ruleset, as it is stored and published. */
export interface BypassActor {
  /** Null for those that have no number. */
  actor_id: number | null;
  actor_type: 'OrganizationAdmin' | 'RepositoryRole' | 'User' | 'Integration';
  bypass_mode: 'always' | 'pull_request' | 'exempt';
}

/** What counts of somebody, where it is asked whether they may bypass rules of a repository. */
export interface BypassPrincipal {
  /** Of the user who pushes. */
  accountId: number | undefined;
  /** Of the app that pushes for itself. */
  appId: number | undefined;
  /** What the user may do in the repository, 0 to 5. */
  role: number;
  isOrganizationAdmin: boolean;
}

/** Numbers under which the roles are published, and the least role that each stands for. Lower ones can push nothing. */
export const minRoleByRoleId: ReadonlyMap<number, number> = new Map([
  [4, 3],
  [2, 4],
  [5, 5],
]);

/** The best way that is open to somebody; undefined where there is none. */
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

/** The same in the words of `current_user_can_bypass`. */
export function toRulesetBypass(mode: BypassActor['bypass_mode'] | undefined): RulesetBypassValue {
  if (mode === undefined) return 'never';
  return mode === 'pull_request' ? 'pull_requests_only' : mode;
}
