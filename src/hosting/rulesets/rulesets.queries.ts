import { type RawBuilder, sql } from 'kysely';
import { type BranchRule, Ruleset } from '../../../schema/hosting/ruleset.ts';
import type { JsonObject } from '../../../schema/hosting/ruleset-documents.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import { serviceUnavailable } from '../../errors/errors.ts';
import { organizationFor } from '../organizations/organization-access.ts';
import { accessDecision } from '../repositories/repository-access.ts';
import type { BypassActor, BypassPrincipal } from '../rules/bypass.ts';
import { matchRefConditions } from '../rules/conditions.ts';
import { loadBypassPrincipal, loadRulesetsFor, patternMatcherFor } from '../rules/load-rulesets.ts';
import { belongsTo, type RulesetSource } from './ruleset-source.ts';

/** A ruleset as selected. */
export type RulesetRow = Omit<Ruleset, 'id' | 'nodeId' | 'sourceType' | 'links' | 'bypassActors'> & {
  bypassActors: BypassActor[];
  /** The repository by which it was come to; null where it was by the organization, which only those can who may write it. */
  through: number | null;
};

/**
 * `documents`: the columns of conditions and rules, or empty values when a list does not select them. They can have up
 * to one megabyte each.
 */
const rulesetColumns = (documents: Readonly<Record<string, string>> = {}): RawBuilder<unknown> =>
  columnsOf(Ruleset, 's', {
    always: ['organizationId', 'repositoryId', 'bypassActors'],
    computed: { databaseId: 's.id', source: "coalesce(o.login, ro.login || '/' || r.name)", ...documents },
  })('all');

const columns = rulesetColumns();
const columnsWithoutDocuments = rulesetColumns({ conditions: 'null', rules: "'[]'::jsonb" });

const rulesetJoins = sql.raw(`ruleset s left join account o on o.id = s.organization_id
  left join repository r on r.id = s.repository_id left join account ro on ro.id = r.owner_id`);

export interface RulesetFilters {
  /** Whether to include rulesets of the organization that owns the repository. */
  includesParents?: boolean | null;
  /** All targets when null. */
  targets?: readonly string[] | null;
}

/** SQL condition for the rulesets of a source; a repository includes those of its organization. */
function sourceCondition(source: RulesetSource, { includesParents = true, targets }: RulesetFilters) {
  const own = belongsTo(source);
  const both =
    source.kind === 'repository' && includesParents !== false
      ? sql`(${own} or s.organization_id = ${source.ownerId})`
      : own;
  return targets == null ? both : sql`${both} and s.target = any(${[...targets]})`;
}

/** Rulesets of a source, oldest first. */
export function rulesetsOf(
  { read, largeValues }: Pick<Context, 'read' | 'largeValues'>,
  source: RulesetSource,
  filters: RulesetFilters = {},
): ListSource<RulesetRow> {
  const condition = sourceCondition(source, filters);
  return {
    async rows({ limit, offset, wanted }) {
      const page = sql`${condition} order by s.id limit ${limit} offset ${offset}`;
      if (!wanted.has('rules') && !wanted.has('conditions'))
        return selectRulesets(read, source, page, columnsWithoutDocuments);
      const [sized] = await read(sql<{ bytes: number }>`select coalesce(sum(p.bytes), 0)::bigint as bytes from (
        select octet_length(s.rules::text) + coalesce(octet_length(s.conditions::text), 0) as bytes
        from ruleset s where ${page}) p`);
      largeValues.take(sized?.bytes ?? 0);
      return selectRulesets(read, source, page);
    },
    async total() {
      const [found] = await read(
        sql<{ total: number }>`select count(*)::int as total from ruleset s where ${condition}`,
      );
      return found?.total ?? 0;
    },
  };
}

/** One ruleset of a source; null when there is none with this id. */
export async function rulesetOf(
  { read }: Pick<Context, 'read'>,
  source: RulesetSource,
  id: number,
  filters: RulesetFilters = {},
): Promise<RulesetRow | null> {
  const [found] = await selectRulesets(read, source, sql`${sourceCondition(source, filters)} and s.id = ${id}`);
  return found ?? null;
}

async function selectRulesets(
  read: Context['read'],
  { kind, id }: RulesetSource,
  rest: RawBuilder<unknown>,
  list: RawBuilder<unknown> = columns,
): Promise<RulesetRow[]> {
  const through = kind === 'repository' ? id : null;
  const rows = await read(sql<Omit<RulesetRow, 'through'>>`select ${list} from ${rulesetJoins} where ${rest}`);
  return rows.map(row => ({ ...row, through }));
}

/** Active rules that apply to a branch, which need not exist yet. */
export function rulesOfBranch(
  { read }: Pick<Context, 'read'>,
  repositoryId: number,
  branch: string,
): ListSource<BranchRule> {
  let all: Promise<BranchRule[]> | undefined;
  const rules = (): Promise<BranchRule[]> => {
    all ??= loadBranchRules(read, repositoryId, `refs/heads/${branch}`);
    return all;
  };
  return {
    rows: async ({ limit, offset }) => (await rules()).slice(offset, offset + limit),
    total: async () => (await rules()).length,
  };
}

async function loadBranchRules(read: Context['read'], repositoryId: number, ref: string): Promise<BranchRule[]> {
  const found = await loadRulesetsFor(read, repositoryId);
  if (!found) return [];
  const { repository, rulesets } = found;
  const active = rulesets.filter(one => one.enforcement === 'active');
  // No ref name is longer, and matching time grows with the length.
  const about =
    Buffer.byteLength(ref) <= 255
      ? await matchRefConditions(active, ref, repository, patternMatcherFor(repository))
      : [];
  if (about.includes(undefined))
    throw serviceUnavailable({ reason: 'patterns_slow' }, 'The conditions take too long to evaluate.');
  return active
    .filter((_, at) => about[at] === true)
    .flatMap(({ id, organizationId, rules }) =>
      rules.map(({ type, parameters }) => ({
        type,
        parameters: (parameters as JsonObject | undefined) ?? null,
        sourceType: organizationId === null ? 'Repository' : 'Organization',
        source: organizationId === null ? `${repository.ownerLogin}/${repository.name}` : repository.ownerLogin,
        rulesetId: id,
      })),
    );
}

/** DataLoader batch function: what bypass checks of the caller need, per repository. */
export function loadBypassPrincipals(context: Context, repositoryIds: readonly number[]): Promise<BypassPrincipal[]> {
  const { actor, read } = context;
  const accountId = actor.kind === 'user' ? actor.accountId : undefined;
  const appId = actor.kind === 'installation' ? actor.appId : undefined;
  return Promise.all(repositoryIds.map(id => loadBypassPrincipal(read, id, { accountId, appId })));
}

/**
 * DataLoader batch function: whether the caller can edit the rulesets of each source, given as `repository:7` or as the
 * login of an organization.
 */
export function loadWritable(context: Context, sources: readonly string[]): Promise<boolean[]> {
  return Promise.all(sources.map(source => mayWriteSource(context, source)));
}

async function mayWriteSource(context: Context, source: string): Promise<boolean> {
  const { actor, read } = context;
  const [, repositoryId] = /^repository:(\d+)$/.exec(source) ?? [];
  if (repositoryId === undefined) {
    // An error here, such as required single sign-on, only hides the field; the query that reads the ruleset must not
    // fail.
    return organizationFor(context, source, 'org-administration:write').then(
      found => found !== null,
      () => false,
    );
  }
  const [found] = await read(sql<{
    decision: string;
  }>`select ${accessDecision(actor, 'administration:write')} as decision
    from repository r join account o on o.id = r.owner_id where r.id = ${Number(repositoryId)}`);
  return found?.decision === 'allowed';
}
