import { sql } from 'kysely';
import type { RulesetEnforcementValue, RulesetTargetValue } from '../../../schema/hosting/ruleset.ts';
import type { Read } from '../../db/read.ts';
import { roleOfUser } from '../repositories/repository-access.ts';
import type { BypassActor, BypassPrincipal } from './bypass.ts';
import { type Conditions, matchRepositoryConditions, type RepositoryProperties } from './conditions.ts';
import { type MatchTimeBudget, PatternMatcher } from './pattern-matcher.ts';
import type { Rule } from './rule.ts';

/** What rules come from: a ruleset or the protection of a branch. */
export interface RuleSource {
  /** Null for a protected branch. */
  id: number | null;
  /** Name of the ruleset, or of the protected branch. */
  name: string;
  enforcement: RulesetEnforcementValue;
  rules: readonly Rule[];
  bypassActors: readonly BypassActor[];
}

/** A ruleset with what its evaluation needs. */
export interface EnforcedRuleset extends RuleSource {
  id: number;
  organizationId: number | null;
  target: RulesetTargetValue;
  conditions: Conditions | null;
}

/** The pushed repository, with what commit verification needs. */
export interface PushedRepository extends RepositoryProperties {
  databaseId: number;
  ownerId: number;
  ownerLogin: string;
  networkRootId: number | null;
  /** Whether any of its branches is protected. */
  hasProtectedBranches: boolean;
}

/**
 * SQL: whether the repository `r` of the statement can have any rules. Three index look-ups, executed for every push.
 */
export const hasRules = sql`(exists (select 1 from ruleset s where s.enforcement <> 'disabled'
  and (s.repository_id = r.id or s.organization_id = r.owner_id))
  or exists (select 1 from branch_protection_rule p where p.repository_id = r.id))`;

const enforcedRulesetColumns = sql.raw(
  'id, name, organization_id as "organizationId", target, enforcement, conditions, rules, bypass_actors as "bypassActors"',
);
const pushedRepositoryColumns = sql.raw(`r.id, r.id as "databaseId", r.name, r.default_branch as "defaultBranch",
  r.owner_id as "ownerId", o.login as "ownerLogin", r.network_root_id as "networkRootId",
  exists (select 1 from branch_protection_rule p where p.repository_id = r.id) as "hasProtectedBranches"`);

/**
 * A repository with its enforced rulesets: its own, and those of its organization that apply to it; undefined where the repository was
 * deleted.
 */
export async function loadRulesetsFor(
  read: Read,
  repositoryId: number,
): Promise<{ repository: PushedRepository; rulesets: EnforcedRuleset[] } | undefined> {
  const rows = await read<EnforcedRuleset>(sql`
    select ${enforcedRulesetColumns} from ruleset where enforcement <> 'disabled' and (repository_id = ${repositoryId}
      or organization_id = (select owner_id from repository where id = ${repositoryId})) order by id`);
  const [repository] = await read<PushedRepository>(sql`
    select ${pushedRepositoryColumns} from repository r join account o on o.id = r.owner_id where r.id = ${repositoryId}`);
  return repository && { repository, rulesets: await rulesetsThatApply(repository, rows) };
}

/** The same for many repositories, in two statements. */
export async function loadRulesetsForAll(
  read: Read,
  repositoryIds: readonly number[],
): Promise<Map<number, { repository: PushedRepository; rulesets: EnforcedRuleset[] }>> {
  const ids = [...repositoryIds];
  const [repositories, rows] = await Promise.all([
    read<PushedRepository>(sql`select ${pushedRepositoryColumns}
      from repository r join account o on o.id = r.owner_id where r.id = any(${ids}::bigint[])`),
    read<EnforcedRuleset & { repositoryId: number | null }>(sql`
      select ${enforcedRulesetColumns}, repository_id as "repositoryId"
      from ruleset where enforcement <> 'disabled' and (repository_id = any(${ids}::bigint[])
        or organization_id in (select owner_id from repository where id = any(${ids}::bigint[]))) order by id`),
  ]);
  const found = await Promise.all(
    repositories.map(async repository => {
      const own = rows.filter(
        one => one.repositoryId === repository.databaseId || one.organizationId === repository.ownerId,
      );
      return { repository, rulesets: await rulesetsThatApply(repository, own) };
    }),
  );
  return new Map(found.map(one => [one.repository.databaseId, one] as const));
}

/** Omits the rulesets of an organization that do not apply to the repository. */
async function rulesetsThatApply(repository: PushedRepository, rows: EnforcedRuleset[]): Promise<EnforcedRuleset[]> {
  if (rows.length === 0) return rows;
  const organizations = rows.filter(({ organizationId }) => organizationId !== null);
  const applies = await matchRepositoryConditions(
    organizations.map(({ conditions }) => conditions),
    repository,
    patternMatcherFor(repository),
  );
  // Fail closed: undecided rulesets apply.
  return rows.filter(one => applies[organizations.indexOf(one)] !== false);
}

/** A matcher for ruleset patterns. Worker tasks of one owner run one at a time. */
export function patternMatcherFor(
  { ownerId }: Pick<PushedRepository, 'ownerId'>,
  budget?: MatchTimeBudget,
): PatternMatcher {
  return new PatternMatcher(`owner:${ownerId}`, budget);
}

/** Loads what bypass checks need. One statement for a user, none for others. */
export async function loadBypassPrincipal(
  read: Read,
  repositoryId: number,
  caller: { accountId: number | undefined; appId: number | undefined },
): Promise<BypassPrincipal> {
  const [principal] = await loadBypassPrincipalsOf(read, [repositoryId], caller);
  return principal ?? { ...caller, role: 0, isOrganizationAdmin: false };
}

/** The same for many repositories, in their order. */
export async function loadBypassPrincipalsOf(
  read: Read,
  repositoryIds: readonly number[],
  { accountId, appId }: { accountId: number | undefined; appId: number | undefined },
): Promise<BypassPrincipal[]> {
  const principal = { accountId, appId, role: 0, isOrganizationAdmin: false };
  if (accountId === undefined) return repositoryIds.map(() => principal);
  const rows = await read<{ id: number; role: number; isOrganizationAdmin: boolean }>(sql`
    select r.id, ${roleOfUser(accountId)} as role, exists (select 1 from membership m
      where m.organization_id = r.owner_id and m.account_id = ${accountId} and m.role = 'admin') as "isOrganizationAdmin"
    from repository r join account o on o.id = r.owner_id where r.id = any(${[...repositoryIds]}::bigint[])`);
  const byId = new Map(rows.map(({ id, ...found }) => [id, found]));
  return repositoryIds.map(id => ({ ...principal, ...byId.get(id) }));
}
