import { type RawBuilder, sql } from 'kysely';
import { Account, type Organization, type User } from '../../../schema/hosting/account.ts';
import { AccountEmail } from '../../../schema/hosting/account-email.ts';
import type { HostingScope } from '../../../schema/vocabulary/access.ts';
import type { UserActor } from '../../auth/actor.ts';
import { hasPermission, hasTokenScope } from '../../auth/token-scopes.ts';
import type { Context } from '../../context/context.ts';
import { type BatchedSource, batchedTable } from '../../db/batched-list.ts';
import { columnsOf } from '../../db/columns-of.ts';
import { tallySql } from '../../db/list-tallies.ts';
import type { Selection } from '../../db/selection.ts';
import { type OrganizationAccessDecision, organizationAccessDecision } from '../organizations/organization-access.ts';
import { ssoRequired } from '../organizations/sso-required.ts';
import { decisionColumns, decisionOf } from './judged-fields.ts';
import { loginKey } from './login.ts';

/** An account as selected: its identity, and the requested fields. */
export type AccountRow = Omit<Account, 'id' | 'blog' | 'enforcesSso' | 'basePermission' | 'plan' | 'suspendedAt'> &
  Pick<User, 'viewerIsFollowing'> &
  Pick<Organization, 'email' | 'description' | 'isSsoEnforced'> & { __typename: 'User' | 'Organization' } & Partial<
    Record<JudgedField, OrganizationAccessDecision>
  >;

/** Access scopes of fields of an organization: a row has the decision about the caller under the name of each that is selected. */
const judgedFields = {
  apiInsights: 'api-insights:read',
  invitation: 'org-invitations:read',
  invitations: 'org-invitations:read',
  membership: 'org:read',
  hook: 'org-hooks:read',
  hooks: 'org-hooks:read',
  ruleset: 'org-administration:write',
  rulesets: 'org-administration:write',
  ruleSuite: 'org-rule-suites:read',
  ruleSuites: 'org-rule-suites:read',
  ruleOutcomes: 'org-rule-suites:read',
} as const satisfies Record<string, HostingScope>;
type JudgedField = keyof typeof judgedFields;

type ReadContext = Pick<Context, 'actor' | 'read'>;

/** SQL text of a value that only the account itself is shown. */
const forOwner =
  (value: string) =>
  ({ actor }: ReadContext): RawBuilder<unknown> =>
    actor.kind === 'user' ? sql`case when a.id = ${actor.accountId} then ${sql.raw(value)} end` : sql`null::int`;

export const accountSelectList = columnsOf(Account, 'a', {
  always: ['__typename', 'databaseId', 'login', 'kind'],
  computed: {
    __typename: "case a.kind when 'organization' then 'Organization' else 'User' end",
    databaseId: 'a.id',
    email: "case a.kind when 'organization' then a.public_email else coalesce(a.public_email, '') end",
    description: 'a.bio',
    websiteUrl: 'a.blog',
    isSsoEnforced: 'a.enforces_sso',
    viewerIsFollowing: {
      before: 'exists (select 1 from follow f where f.followed_id = a.id and f.follower_id = ',
      // Compared with null, no row is found.
      parameter: ({ actor }: ReadContext) => (actor.kind === 'user' ? actor.accountId : null),
      after: '::bigint)',
    },
    publicRepositoryCount: tallySql('public_repository', 'a.id'),
    privateRepositoryCount: forOwner(tallySql('private_repository', 'a.id')),
    // Without what grew since the rows of the repositories were last folded: one index scan, and no look-up per repository.
    ownedDiskUsage: forOwner(`(select coalesce(sum((r.stored_bytes + 1023) / 1024), 0)::int from repository r
      where r.owner_id = a.id)`),
    privateCollaboratorCount: forOwner(`(select count(distinct c.account_id)::int from repository r
      join collaborator c on c.repository_id = r.id where r.owner_id = a.id and r.is_private)`),
    followerCount: tallySql('follower', 'a.id'),
    followingCount: tallySql('following', 'a.id'),
    ...decisionColumns(judgedFields, organizationAccessDecision),
  },
});

/** Whether the caller may read a field of an organization; the row was read for a selection with it. @throws 403 for missing single sign-on */
export function mayReadField(context: Context, row: AccountRow, field: JudgedField): boolean {
  const decision = decisionOf<JudgedField, OrganizationAccessDecision>(row, field);
  if (decision === 'sso') throw ssoRequired(context, { id: row.databaseId, login: row.login });
  return decision === 'allowed';
}

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

export type EmailRow = Pick<AccountEmail, 'id' | 'email' | 'isPrimary' | 'isPublic' | 'verifiedAt' | 'createdAt'>;

/** Of the table `account_email` itself. */
export const emailColumns = columnsOf(AccountEmail, null, {
  computed: {
    isPublic: `exists (select 1 from account a where a.id = account_id and lower(a.public_email) = lower(account_email.email))`,
  },
})('all');

/** E-mail addresses of users, primary first. The caller has been found to be the user: see `mayReadEmails`. */
export function emailsOf(
  { read }: Pick<Context, 'read'>,
  { publicOnly = false } = {},
): BatchedSource<number, EmailRow> {
  return batchedTable(read, {
    keyType: 'bigint',
    select: () => emailColumns,
    from: sql`account_email`,
    where: key => [
      sql`account_id = ${key}`,
      ...(publicOnly
        ? [sql`lower(email) = (select lower(a.public_email) from account a where a.id = account_id)`]
        : []),
    ],
    order: sql`is_primary desc, id`,
  });
}

/** E-mail addresses of the caller by id; null for those of others. */
export async function emailsByIds(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  ids: readonly number[],
): Promise<(EmailRow | null)[]> {
  if (actor.kind !== 'user' || !mayReadEmails(actor)) return ids.map(() => null);
  const found = await read(sql<EmailRow>`select ${emailColumns} from account_email
    where id = any(${[...ids]}::bigint[]) and account_id = ${actor.accountId}`);
  const byId = new Map(found.map(row => [row.id, row]));
  return ids.map(id => byId.get(id) ?? null);
}

/** Whether a credential may read the e-mail addresses of its user. */
export function mayReadEmails({ credential }: UserActor): boolean {
  if ('scopes' in credential) return hasTokenScope(credential.scopes, ['user:email']);
  return hasPermission(credential.permissions, 'emails', 'read');
}
