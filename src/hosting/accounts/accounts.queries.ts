import { type RawBuilder, sql } from 'kysely';
import type { Selection } from '../../../schema/vocabulary/selection.ts';
import type { Context } from '../../context/context.ts';
import { buildSelectList, type SelectList } from '../../db/select-list.ts';
import { loginKey } from './login.ts';

/** An account as selected: its identity, and the requested fields. */
export interface AccountRow {
  databaseId: number;
  login: string;
  kind: 'user' | 'organization';
  name: string | null;
  publicEmail: string | null;
  company: string | null;
  blog: string | null;
  location: string | null;
  bio: string | null;
  isSiteAdmin: boolean;
  enforcesSso: boolean;
  createdAt: string;
  updatedAt: string;
  publicRepositories: number;
  privateRepositories: number | null;
  followers: number;
  following: number;
}

type ReadContext = Pick<Context, 'actor' | 'read'>;

const repositoriesOf = (kind: string): string =>
  `(select count(*)::int from repository own where own.owner_id = a.id and ${kind})`;

const columns: SelectList<ReadContext> = {
  name: 'a.name',
  publicEmail: 'a.public_email',
  company: 'a.company',
  blog: 'a.blog',
  location: 'a.location',
  bio: 'a.bio',
  isSiteAdmin: 'a.is_site_admin',
  enforcesSso: 'a.enforces_sso',
  createdAt: 'a.created_at',
  updatedAt: 'a.updated_at',
  publicRepositories: repositoriesOf('not own.is_private'),
  // The number of private repositories is only visible to the account itself.
  privateRepositories: ({ actor }) =>
    actor.kind === 'user'
      ? sql`case when a.id = ${actor.accountId} then ${sql.raw(repositoriesOf('own.is_private'))} end`
      : sql`null::int`,
  followers: '(select count(*)::int from follow f where f.followed_id = a.id)',
  following: '(select count(*)::int from follow f where f.follower_id = a.id)',
};

const always = 'a.id as "databaseId", a.login, a.kind';

/** Whether the selection `read` contains all account fields of `wanted`. */
export const coversSelection = (read: Selection, wanted: Selection): boolean =>
  Object.keys(columns).every(name => read.has(name) || !wanted.has(name));

async function findAccount(
  context: ReadContext,
  condition: RawBuilder<unknown>,
  wanted: Selection,
): Promise<AccountRow | null> {
  const [found] = await context.read(sql<AccountRow>`
    select ${buildSelectList(columns, always, wanted, context)} from account a where ${condition}`);
  return found ?? null;
}

/** Account by login, case-insensitive; `kind` restricts it to users or organizations. */
export async function accountByLogin(
  context: ReadContext,
  login: string,
  wanted: Selection,
  kind?: AccountRow['kind'],
): Promise<AccountRow | null> {
  const key = loginKey(login);
  if (key === undefined) return null;
  return findAccount(
    context,
    sql`lower(a.login) = ${key} ${kind === undefined ? sql`` : sql`and a.kind = ${kind}`}`,
    wanted,
  );
}

/** Account by id, as in links of lists. */
export function accountById(
  context: ReadContext,
  id: number,
  wanted: Selection,
  kind?: AccountRow['kind'],
): Promise<AccountRow | null> {
  return findAccount(context, sql`a.id = ${id} ${kind === undefined ? sql`` : sql`and a.kind = ${kind}`}`, wanted);
}

/** DataLoader batch function: accounts by id. */
export async function accountsByIds(
  context: Context,
  ids: readonly number[],
  wanted: Selection,
): Promise<(AccountRow | null)[]> {
  const found = await context.read(sql<AccountRow>`
    select ${buildSelectList(columns, always, wanted, context)} from account a where a.id = any(${[...ids]}::bigint[])`);
  const byId = new Map(found.map(row => [row.databaseId, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Resolves a former login; null when the login is in use, or was never used. */
export async function accountByFormerLogin(
  { read }: Pick<Context, 'read'>,
  login: string,
  kind?: AccountRow['kind'],
): Promise<{ id: number; login: string } | null> {
  const key = loginKey(login);
  if (key === undefined) return null;
  const [found] = await read(sql<{ id: number; login: string }>`
    select a.id, a.login from former_login f join account a on a.id = f.account_id
    where f.login = ${key} ${kind === undefined ? sql`` : sql`and a.kind = ${kind}`}
      and not exists (select 1 from account now where lower(now.login) = ${key})`);
  return found ?? null;
}

export interface EmailRow {
  email: string;
  isPrimary: boolean;
  verifiedAt: string | null;
  createdAt: string;
}

/** Email addresses of a user, primary first. */
export function emailsOf({ read }: Pick<Context, 'read'>, accountId: number): Promise<EmailRow[]> {
  return read(sql<EmailRow>`
    select email, is_primary as "isPrimary", verified_at as "verifiedAt", created_at as "createdAt"
    from account_email where account_id = ${accountId} order by is_primary desc, id`);
}
