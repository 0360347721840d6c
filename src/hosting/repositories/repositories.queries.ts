import { type RawBuilder, sql } from 'kysely';
import { Repository } from '../../../schema/hosting/repository.ts';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import { recordOmittedOrganizations, ssoOrganizationsOf } from '../../auth/sso.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { PageSource } from '../../db/page.ts';
import type { Selection } from '../../db/selection.ts';
import { loginKey } from '../accounts/login.ts';
import { accessDenied } from './access-denied.ts';
import {
  type AccessDecision,
  accessDecision,
  effectiveRole,
  visibleTo,
  withheldBySsoFrom,
} from './repository-access.ts';
import { pushedAtSql, storedBytesSql } from './repository-growth.ts';
import { repositoryKey } from './repository-name.ts';

/** A repository as a query brings it: what identifies it, and of the rest what was selected. */
export type RepositoryRow = Omit<
  Repository,
  'id' | 'nodeId' | 'fullName' | 'storedBytes' | 'permissions' | 'ownerId'
> & {
  ownerId: number;
  ownerLogin: string;
  /** 0 to 5. */
  permissions: number;
};

type ReadContext = Pick<Context, 'actor' | 'read'>;

const repositorySelectList = columnsOf(Repository, 'r', {
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
  ],
  computed: {
    databaseId: 'r.id',
    ownerLogin: 'o.login',
    ownerKind: 'o.kind',
    isFork: 'r.parent_id is not null',
    size: `((${storedBytesSql} + 1023) / 1024)::int`,
    pushedAt: pushedAtSql,
    stars: '(select count(*)::int from star s where s.repository_id = r.id)',
    watchers: '(select count(*)::int from watch w where w.repository_id = r.id)',
    forks: '(select count(*)::int from repository f where f.parent_id = r.id)',
    networkCount:
      '(select count(*)::int from repository f where f.network_root_id = coalesce(r.network_root_id, r.id) and f.id <> r.id)',
    permissions: ({ actor }: ReadContext) => effectiveRole(actor),
  },
});

export type OwnedRow = RepositoryRow & { ownerKind: 'user' | 'organization' };

const repositoryJoins = sql.raw('repository r join account o on o.id = r.owner_id');

/** By which a repository is asked for. */
export type RepositoryAddress = { owner: string; name: string } | { id: number };

function addressCondition(address: RepositoryAddress): RawBuilder<unknown> | undefined {
  if ('id' in address) return sql`r.id = ${address.id}`;
  const [owner, name] = [loginKey(address.owner), repositoryKey(address.name)];
  return owner === undefined || name === undefined
    ? undefined
    : sql`lower(o.login) = ${owner} and lower(r.name) = ${name}`;
}

/** Nothing but what every row brings. */
const noSelection: Selection = new Map();

/**
 * What is wanted of one repository, for what `word` stands for. Null when it is absent or not to be seen; throws the
 * published 403 when it may be seen and this may not be done. One statement, with `beside`, a column over `r`, as well.
 */
export async function repositoryFor<Beside = unknown>(
  context: Pick<Context, 'actor' | 'read' | 'config' | 'keys' | 'now' | 'origin'>,
  address: RepositoryAddress,
  word: HostingScope,
  wanted: Selection = noSelection,
  beside?: RawBuilder<Beside>,
): Promise<(OwnedRow & { beside: Beside }) | null> {
  const condition = addressCondition(address);
  if (!condition) return null;
  const [found] = await context.read(sql<OwnedRow & { verdict: AccessDecision; beside: Beside }>`
    select ${repositorySelectList(wanted, context)}, ${accessDecision(context.actor, word)} as verdict${beside ? sql`, ${beside} as beside` : sql``}
    from ${repositoryJoins} where ${condition}`);
  if (!found || found.verdict === 'hidden') return null;
  if (found.verdict !== 'allowed') throw accessDenied(context, found.verdict, word, found);
  return found;
}

/**
 * Where a repository went that had this name: its own former names, and the former logins of its owner. Null when the name
 * leads somewhere by itself, or the caller may not see where it went. For redirects.
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

/** Repositories by number, in the order asked for; null where the caller may not see one. */
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

/** The repositories of one owner that the caller may see, by name. */
export function repositoriesOf(context: Context, ownerId: number): PageSource<OwnedRow> {
  return repositoryPage(context, sql`r.owner_id = ${ownerId}`, sql.raw('lower(r.name), r.id'));
}

/**
 * The repositories a user has more to do with than anybody: own ones, those of their organizations, those they were let
 * into. What single sign-on withholds is left out, and the answer says so.
 */
export function repositoriesOfUser(context: Context, accountId: number): PageSource<OwnedRow> {
  const theirs = sql`(r.owner_id = ${accountId}
    or r.owner_id in (select organization_id from membership where account_id = ${accountId})
    or r.id in (select repository_id from collaborator where account_id = ${accountId}))`;
  return repositoryPage(context, theirs, sql.raw('lower(o.login), lower(r.name), r.id'));
}

/** Those that a token was narrowed to. Not asked whether the caller sees them: it is the app that has just named them. */
export function repositoriesOfCredential(
  context: Pick<Context, 'actor' | 'read'>,
  credentialId: number,
  wanted: Selection,
): Promise<OwnedRow[]> {
  return context.read(sql<OwnedRow>`select ${repositorySelectList(wanted, context)}
    from ${repositoryJoins} where r.id in (select repository_id from credential_repository where credential_id = ${credentialId})
    order by r.id`);
}

function repositoryPage(
  context: Context,
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): PageSource<OwnedRow> {
  const { actor, read } = context;
  const where = sql`${condition} and ${visibleTo(actor)}`;
  return {
    async rows({ limit, offset, wanted }) {
      const rows = read(sql<OwnedRow>`select ${repositorySelectList(wanted, context)} from ${repositoryJoins}
        where ${where} order by ${order} limit ${limit} offset ${offset}`);
      const mayBeWithheld = actor.kind === 'user' && ssoOrganizationsOf(actor.credential) !== null;
      if (!mayBeWithheld) return rows;
      const withheld = sql<{ id: number }>`select distinct o.id from ${repositoryJoins}
        where ${condition} and ${withheldBySsoFrom(actor)} order by o.id`;
      const [shown, organizations] = await Promise.all([rows, read(withheld)]);
      recordOmittedOrganizations(
        actor,
        organizations.map(({ id }) => id),
      );
      return shown;
    },
    async total() {
      const [found] = await read(
        sql<{ total: number }>`select count(*)::int as total from ${repositoryJoins} where ${where}`,
      );
      return found?.total ?? 0;
    },
  };
}
