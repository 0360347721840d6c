import { type RawBuilder, sql } from 'kysely';
import { Repository } from '../../../schema/hosting/repository.ts';
import type { SubscriptionState } from '../../../schema/hosting/starrable.ts';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import { hostingScopes } from '../../auth/hosting-scopes.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { ListSource } from '../../db/connection.ts';
import { tallySql } from '../../db/list-tallies.ts';
import { noSelection, type Selection } from '../../db/selection.ts';
import { defaultBranchTipColumn } from '../../git/revision.ts';
import { decisionColumns, decisionOf } from '../accounts/judged-fields.ts';
import { loginKey } from '../accounts/login.ts';
import { sayingWhatIsWithheld } from '../organizations/withheld-organizations.ts';
import { accessDenied } from './access-denied.ts';
import { type AccessDecision, accessDecision, effectiveRole, visibleTo } from './repository-access.ts';
import { pushedAtSql, storedBytesSql } from './repository-growth.ts';
import { repositoryKey } from './repository-name.ts';

/** A repository as selected: its identity, and the requested fields. */
export type RepositoryRow = Omit<Repository, 'id' | 'homepage' | 'storedBytes' | 'permissions'> & {
  databaseId: number;
  ownerLogin: string;
  repositoryTopics: string[];
  primaryLanguage: string | null;
  viewerSubscription: SubscriptionState;
} & Record<RoleField, number> &
  Partial<Record<JudgedField, AccessDecision>>;

/** Fields that need the role of the caller, 0 to 5: a row has it under the name of each that is selected. */
type RoleField = 'permissions' | 'viewerPermission' | 'viewerCanAdminister' | 'collaborators' | 'access';

/** Access scopes of fields of a repository: a row has the decision about the caller under the name of each that is selected. */
const judgedFields = {
  branchProtectionRule: 'administration:read',
  branchProtectionRules: 'administration:read',
  hook: 'hooks:read',
  hooks: 'hooks:read',
  invitations: 'administration:read',
  ruleSuite: 'rule-suites:read',
  ruleSuites: 'rule-suites:read',
  ruleOutcomes: 'rule-suites:read',
  sshKey: 'administration:read',
  sshKeys: 'administration:read',
} as const satisfies Record<string, HostingScope>;
type JudgedField = keyof typeof judgedFields;

type ReadContext = Pick<Context, 'actor' | 'read'>;
type AccessContext = ReadContext & Pick<Context, 'config' | 'keys' | 'now' | 'origin'>;

/** SQL: number of stars of the repository `r`. */
export const stargazerCountSql = tallySql('stargazer', 'r.id');
/** SQL: number of forks of the repository `r`. */
export const forkCountSql = tallySql('fork', 'r.id');

const callerRole = ({ actor }: ReadContext): RawBuilder<unknown> => effectiveRole(actor);

/** Compared with null, no row is found. */
const callingAccount = ({ actor }: ReadContext): number | null => (actor.kind === 'user' ? actor.accountId : null);

export const repositorySelectList = columnsOf(Repository, 'r', {
  // Few, narrow, and needed for the URLs, the owner and the access decision of every row.
  always: [
    'databaseId',
    'ownerId',
    'ownerLogin',
    'ownerKind',
    'name',
    'isPrivate',
    'isArchived',
    'defaultBranch',
    'parentId',
    'networkRootId',
    'templateId',
  ],
  computed: {
    databaseId: 'r.id',
    ownerLogin: 'o.login',
    ownerKind: 'o.kind',
    isFork: 'r.parent_id is not null',
    homepageUrl: 'r.homepage',
    isEmpty: 'not exists (select 1 from git_ref g where g.repository_id = r.id)',
    diskUsage: `((${storedBytesSql} + 1023) / 1024)::int`,
    pushedAt: pushedAtSql,
    pushedOrCreatedAt: `coalesce(${pushedAtSql}, r.created_at)`,
    stargazerCount: stargazerCountSql,
    watcherCount: tallySql('watcher', 'r.id'),
    forkCount: forkCountSql,
    // Without the repository itself, which is among the forks of its root.
    networkForkCount: `(${tallySql('network_fork', 'coalesce(r.network_root_id, r.id)')} - (r.network_root_id is not null)::int)`,
    viewerHasStarred: {
      before: 'exists (select 1 from star s where s.repository_id = r.id and s.account_id = ',
      parameter: callingAccount,
      after: '::bigint)',
    },
    viewerSubscription: {
      before: `case when exists (select 1 from watch w where w.repository_id = r.id and w.account_id = `,
      parameter: callingAccount,
      after: `::bigint) then 'subscribed' else 'unsubscribed' end`,
    },
    repositoryTopics: 'r.topics',
    primaryLanguage: 'r.primary_language_name',
    languages: () => defaultBranchTipColumn,
    permissions: callerRole,
    viewerPermission: callerRole,
    viewerCanAdminister: callerRole,
    collaborators: callerRole,
    access: callerRole,
    ...decisionColumns(judgedFields, accessDecision),
  },
});

export type OwnedRow = RepositoryRow & {
  ownerKind: 'user' | 'organization';
  /** Whether the caller may read the contents, where it was decided in the statement of the row. */
  contentsDecision?: AccessDecision;
  /** Id of the ref that a revision begins with, where it was read in the statement of the row. */
  tip?: { revision: string; oid: string };
  /** Tip of the default branch, null for none, where the languages at it are selected. */
  languages?: Buffer | null;
};

export const repositoryJoins = sql.raw('repository r join account o on o.id = r.owner_id');

/** Address of a repository: owner and name, or id. */
export type RepositoryAddress = { owner: string; name: string } | { id: number };

function addressCondition(address: RepositoryAddress): RawBuilder<unknown> | undefined {
  if ('id' in address) return sql`r.id = ${address.id}`;
  const [owner, name] = [loginKey(address.owner), repositoryKey(address.name)];
  return owner === undefined || name === undefined
    ? undefined
    : sql`lower(o.login) = ${owner} and lower(r.name) = ${name}`;
}

/**
 * Loads a repository with the access that `scope` requires, and the selected fields, in one statement. `extraColumn` is
 * an additional column over `r`. Null when the repository does not exist or is not visible.
 *
 * @throws 403 when the repository is visible but the access is missing, unless the scope hides what needs it
 */
export async function repositoryFor<Extra = unknown>(
  context: AccessContext,
  address: RepositoryAddress,
  scope: HostingScope,
  wanted: Selection = noSelection,
  extraColumn?: RawBuilder<Extra>,
): Promise<(OwnedRow & { extraColumn: Extra }) | null> {
  const found = await judgedRepository(context, address, scope, wanted, extraColumn);
  return found && isAllowed(context, found.decision, scope, found) ? found : null;
}

/**
 * The same with the access that the selection requires. A scope that reaches private repositories for fields such as their hooks finds
 * them for these fields alone, which are judged when they are resolved; any other selection requires `metadata:read`.
 *
 * @throws 403 as `repositoryFor`
 */
export async function repositoryWith<Extra = unknown>(
  context: AccessContext,
  address: RepositoryAddress,
  wanted: Selection,
  extraColumn?: RawBuilder<Extra>,
): Promise<(OwnedRow & { extraColumn: Extra }) | null> {
  const scope = reachingScopeOf(wanted);
  if (!scope) return repositoryFor(context, address, 'metadata:read', wanted, extraColumn);
  const found = await judgedRepository(context, address, scope, wanted, extraColumn);
  return found?.decision === 'hidden' ? null : found;
}

const scopeOfField: ReadonlyMap<string, HostingScope> = new Map(Object.entries(judgedFields));

/** The access scope of all selected fields, if they have one and it reaches repositories for them. */
function reachingScopeOf(wanted: Selection): HostingScope | undefined {
  const names = [...wanted.keys()].filter(name => name !== '__typename');
  const scopes = new Set(names.map(name => scopeOfField.get(name)));
  const [scope] = scopes;
  return scopes.size === 1 && scope && hostingScopes[scope].reachingScopes ? scope : undefined;
}

async function judgedRepository<Extra>(
  context: AccessContext,
  address: RepositoryAddress,
  scope: HostingScope,
  wanted: Selection,
  extraColumn: RawBuilder<Extra> | undefined,
): Promise<(OwnedRow & { decision: AccessDecision; extraColumn: Extra }) | null> {
  const condition = addressCondition(address);
  if (!condition) return null;
  const [found] = await context.read(sql<OwnedRow & { decision: AccessDecision; extraColumn: Extra }>`
    select ${repositorySelectList(wanted, context)}, ${accessDecision(context.actor, scope)} as decision${extraColumn ? sql`, ${extraColumn} as "extraColumn"` : sql``}
    from ${repositoryJoins} where ${condition}`);
  return found ?? null;
}

/** Whether a decision allows; false where it hides. @throws 403 as `repositoryFor` */
function isAllowed(context: AccessContext, decision: AccessDecision, scope: HostingScope, row: OwnedRow): boolean {
  if (decision === 'allowed') return true;
  if (decision === 'hidden' || (decision !== 'sso' && hostingScopes[scope].isHidden)) return false;
  throw accessDenied(context, decision, scope, row);
}

/** Whether the caller may read a field of a visible repository; the row was read for a selection with it. @throws 403 */
export function mayReadField(context: AccessContext, row: OwnedRow, field: JudgedField): boolean {
  return isAllowed(context, decisionOf<JudgedField, AccessDecision>(row, field), judgedFields[field], row);
}

/**
 * Resolves a former name for redirects: former names of the repository, and former logins of its owner. Null when the
 * name is in use, or when the caller cannot see the repository.
 */
export async function repositoryByFormerName(
  { actor, read }: ReadContext,
  ownerLogin: string,
  name: string,
): Promise<{ id: number; owner: string; name: string } | null> {
  const [owner, key] = [loginKey(ownerLogin), repositoryKey(name)];
  if (owner === undefined || key === undefined) return null;
  const [found] = await read(sql<{ id: number; owner: string; name: string }>`
    select r.id, o.login as owner, r.name
    from (select id from account where lower(login) = ${owner}
      union all select f.account_id from former_login f
        where f.login = ${owner} and not exists (select 1 from account now where lower(now.login) = ${owner})) as had
    join lateral (
      select own.id from repository own where own.owner_id = had.id and lower(own.name) = ${key}
      union all select f.repository_id from former_repository_name f where f.owner_id = had.id and f.name = ${key}
      limit 1) as known on true
    join repository r on r.id = known.id join account o on o.id = r.owner_id
    where ${visibleTo(actor)} and not (lower(o.login) = ${owner} and lower(r.name) = ${key})`);
  return found ?? null;
}

/** DataLoader batch function: repositories by id; null for those that the caller cannot see. */
export async function repositoriesByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(OwnedRow | null)[]> {
  const found = await context.read(sql<OwnedRow>`
    select ${repositorySelectList(wanted, context)} from ${repositoryJoins}
    where r.id = any(${[...ids]}::bigint[]) and ${visibleTo(context.actor)}`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/**
 * Repositories that a token is restricted to. Visibility is not checked, because the calling app has just named them.
 */
export function pageOfCredential(context: ReadContext, id: number): ListSource<OwnedRow> {
  return {
    rows: ({ limit, offset, wanted }) =>
      context.read(sql<OwnedRow>`select ${repositorySelectList(wanted, context)}
        from ${repositoryJoins} where r.id in (select repository_id from credential_repository where credential_id = ${id})
        order by r.id limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await context.read(sql<{ total: number }>`
        select count(*)::int as total from credential_repository where credential_id = ${id}`);
      return found?.total ?? 0;
    },
  };
}

/**
 * Repositories with a condition that the caller can see. Those withheld by single sign-on are omitted, and the answer's headers
 * say so.
 */
export function repositoryPage(
  context: Context,
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): ListSource<OwnedRow> {
  const { actor, read } = context;
  const where = sql`${condition} and ${visibleTo(actor)}`;
  const list: ListSource<OwnedRow> = {
    rows: ({ limit, offset, wanted }) =>
      read(sql<OwnedRow>`select ${repositorySelectList(wanted, context)} from ${repositoryJoins}
        where ${where} order by ${order} limit ${limit} offset ${offset}`),
    async total() {
      const [found] = await read(
        sql<{ total: number }>`select count(*)::int as total from ${repositoryJoins} where ${where}`,
      );
      return found?.total ?? 0;
    },
  };
  return sayingWhatIsWithheld(context, list, () => ({ of: 'repositories', where: condition }));
}
