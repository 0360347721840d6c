import { sql } from 'kysely';
import type { RepositoryAccess } from '../../../schema/hosting/repository-access.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/selection.ts';
import { type AccountRow, accountSelectList } from '../accounts/accounts.queries.ts';
import { loginKey } from '../accounts/login.ts';
import { permissionsOfRole } from './permissions-of-role.ts';
import { roleOfUser } from './repository-access.ts';

/** Role from which a caller sees who has access. */
export const writeRole = 3;

/** By the number of the role. */
const roleNames = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
const basePermissions = ['none', 'read', 'read', 'write', 'write', 'admin'] as const;

export type RoleName = (typeof roleNames)[number];

/** Access as the graph has it. */
export interface AccessRow extends Omit<RepositoryAccess, 'user'> {
  user: AccountRow;
}

export function accessRow(user: AccountRow, role: RoleName, isCollaborator: boolean): AccessRow {
  const number = roleNames.indexOf(role);
  const basePermission = basePermissions[number] ?? 'none';
  return { user, role, basePermission, permissions: permissionsOfRole(number), isCollaborator };
}

/** A user by login in a repository. */
interface AccessKey {
  repositoryId: number;
  login: string;
}

/**
 * DataLoader batch function: access of users to repositories, in one statement; null for an unknown user. Who may see it is for the
 * caller to check.
 * @param wanted of the user
 */
export async function loadAccess(
  context: Context,
  keys: readonly AccessKey[],
  wanted: Selection,
): Promise<(AccessRow | null)[]> {
  const repositoryIds = keys.map(({ repositoryId }) => repositoryId);
  // An empty text is no login.
  const logins = keys.map(({ login }) => loginKey(login) ?? '');
  const rows = await context.read(sql<AccountRow & { place: number; roleNumber: number; isInside: boolean }>`
    select ${accountSelectList(wanted, context)}, w.place::int as place, ${roleOfUser(sql.raw('a.id'))} as "roleNumber",
      (r.owner_id = a.id or exists (select 1 from collaborator c where c.repository_id = r.id and c.account_id = a.id)
        or exists (select 1 from membership m where m.organization_id = r.owner_id and m.account_id = a.id
          and (m.role = 'admin' or o.base_permission <> 'none'))) as "isInside"
    from unnest(${repositoryIds}::bigint[], ${logins}::text[]) with ordinality as w (repository_id, login, place)
    join repository r on r.id = w.repository_id join account o on o.id = r.owner_id
    join account a on lower(a.login) = w.login and a.kind = 'user'
    where r.id = any(${repositoryIds}::bigint[])`);
  const found = keys.map((): AccessRow | null => null);
  for (const { place, roleNumber, isInside, ...user } of rows)
    found[place - 1] = accessRow(user as AccountRow, roleNames[roleNumber] ?? 'none', isInside);
  return found;
}
