import { sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import { assertGrantable } from '../../auth/credentials/grantable.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { organizationFor } from '../organizations/organization-access.ts';

/** The number of an app that the caller looks after: their own, or of an organization they administer. */
export async function ownedApp(context: Context, id: number): Promise<number> {
  const { accountId } = callingUser(context.actor);
  const [found] = await context.read(sql<{ ownerId: number; kind: string; login: string }>`
    select o.id as "ownerId", o.kind, o.login from app a join account o on o.id = a.owner_id where a.id = ${id}`);
  if (!found) throw notFound();
  if (found.ownerId === accountId) return id;
  if (found.kind !== 'organization' || !(await organizationFor(context, found.login, 'org-administration:write'))) {
    throw notFound();
  }
  return id;
}

/**
 * The same for a change that hands out what the app is worth: a key, a secret, the address that its events are sent to. It
 * takes a credential that covers what the app asks for and what its installations were given. `parentId`: that credential.
 */
export async function delegatedApp(context: Context, id: number): Promise<{ id: number; parentId: number | null }> {
  await ownedApp(context, id);
  const given = await context.read(sql<{ permissions: PermissionMap; isInstalled: boolean }>`
    select permissions, false as "isInstalled" from app where id = ${id}
    union all select distinct permissions, true from installation where app_id = ${id}`);
  let { parentId } = assertGrantable(context.actor, {});
  for (const { permissions, isInstalled } of given) {
    const wanted = isInstalled ? { permissions, reachesPrivate: true } : { permissions };
    ({ parentId } = assertGrantable(context.actor, wanted));
  }
  return { id, parentId };
}
