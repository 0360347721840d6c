import { type RawBuilder, sql } from 'kysely';
import { Account } from '../../../schema/hosting/account.ts';
import { AccountEmail } from '../../../schema/hosting/account-email.ts';
import type { Context } from '../../context/context.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Selection } from '../../db/selection.ts';
import { loginKey } from './login.ts';

/** An account as selected: its identity, and the requested fields. */
export type AccountRow = Omit<Account, 'id' | 'nodeId' | 'typeName' | 'basePermission' | 'plan' | 'suspendedAt'>;

type ReadContext = Pick<Context, 'actor' | 'read'>;

const repositoriesOf = (kind: string): string =>
  `(select count(*)::int from repository own where own.owner_id = a.id and ${kind})`;

const accountSelectList = columnsOf(Account, 'a', {
  always: ['databaseId', 'login', 'kind'],
  computed: {
    databaseId: 'a.id',
    publicRepositories: repositoriesOf('not own.is_private'),
    // The number of private repositories is shown to their owner only.
    privateRepositories: ({ actor }: ReadContext) =>
      actor.kind === 'user'
        ? sql`case when a.id = ${actor.accountId} then ${sql.raw(repositoriesOf('own.is_private'))} end`
        : sql`null::int`,
    followers: '(select count(*)::int from follow f where f.followed_id = a.id)',
    following: '(select count(*)::int from follow f where f.follower_id = a.id)',
  },
});

/** Whether the selection `read` contains all account fields of `wanted`. */
export const coversSelection = (read: Selection, wanted: Selection): boolean =>
  accountSelectList.names.every(name => read.has(name) || !wanted.has(name));

async function findAccount(
  context: ReadContext,
  condition: RawBuilder<unknown>,
  wanted: Selection,
): Promise<AccountRow | null> {
  const [found] = await context.read(sql<AccountRow>`
    select ${accountSelectList(wanted, context)} from account a where ${condition}`);
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
    select ${accountSelectList(wanted, context)} from account a where a.id = any(${[...ids]}::bigint[])`);
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

export type EmailRow = Pick<AccountEmail, 'email' | 'isPrimary' | 'verifiedAt' | 'createdAt'>;

/** Of the table `account_email` itself. */
export const emailColumns = columnsOf(AccountEmail, null)('all');

/** Email addresses of a user, primary first. */
export function emailsOf({ read }: Pick<Context, 'read'>, accountId: number): Promise<EmailRow[]> {
  return read(sql<EmailRow>`
    select ${emailColumns}
    from account_email where account_id = ${accountId} order by is_primary desc, id`);
}
