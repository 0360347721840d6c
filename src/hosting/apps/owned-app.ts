import { sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { Actor } from '../../auth/actor.ts';
import { assertGrantable } from '../../auth/credentials/delegation.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { callingUser } from '../accounts/caller.ts';
import { organizationFor } from '../organizations/organization-access.ts';

/**
 * Checks that the caller manages an app: owns it, or administers the organization that does. Returns its id.
 *
 * @throws 404 otherwise.
 */
export async function requireOwnedApp(context: Context, id: number): Promise<number> {
  const [owner] = await context.read(sql<Owner>`
    select o.id as "ownerId", o.kind, o.login from app a join account o on o.id = a.owner_id where a.id = ${id}`);
  await assertOwner(context, owner);
  return id;
}

interface Owner {
  ownerId: number;
  kind: string;
  login: string;
}

/** @throws 404 unless the owner is the caller, or an organization that the caller administers. */
async function assertOwner(context: Context, owner: Owner | undefined): Promise<void> {
  if (!owner) throw notFound();
  if (owner.ownerId === callingUser(context.actor).accountId) return;
  if (owner.kind !== 'organization' || !(await organizationFor(context, owner.login, 'org-administration:write'))) {
    throw notFound();
  }
}

/**
 * Id of an OAuth app that the caller manages, by client id, and the credential that its new secret will depend on.
 * Undefined when there is no such app.
 */
export async function findOwnedOauthApp(
  context: Context,
  clientId: string,
): Promise<{ id: number; isPublic: boolean; parentId: number | null } | undefined> {
  const [found] = await context.read(sql<Owner & { id: number; isPublic: boolean }>`
    select a.id, a.client_secret_hash is null as "isPublic", o.id as "ownerId", o.kind, o.login from oauth_app a join account o on o.id = a.owner_id
    where a.client_id = ${clientId}`);
  if (!found) return undefined;
  await assertOwner(context, found);
  return { id: found.id, isPublic: found.isPublic, parentId: assertGrantable(context.actor, {}).parentId };
}

/**
 * The same for changes that give control over the app: a key, a secret, or the URL of its webhook. Requires a
 * credential that covers the app's requested and granted permissions. `parentId` is that credential.
 */
export async function requireDelegableApp(
  context: Context,
  id: number,
): Promise<{ id: number; parentId: number | null }> {
  await requireOwnedApp(context, id);
  const [grants] = await context.read(sql<AppGrants>`select ${appGrants} from app a where a.id = ${id}`);
  return { id, parentId: assertCoversApp(context.actor, grants ?? { requested: {}, granted: [] }) };
}

/** Permissions of an app: those that it requests, and those of its installations. */
export interface AppGrants {
  requested: PermissionMap;
  granted: PermissionMap[];
}

/** Select list of `AppGrants` over `a` (app). */
export const appGrants = sql`a.permissions as requested, (select coalesce(jsonb_agg(distinct i.permissions), '[]')
  from installation i where i.app_id = a.id) as granted`;

/**
 * Checks that a credential covers the permissions of an app. Returns the id of the credential.
 *
 * @throws 403 otherwise.
 */
export function assertCoversApp(actor: Actor, { requested, granted }: AppGrants): number | null {
  for (const permissions of granted) assertGrantable(actor, { permissions, reachesPrivate: true });
  return assertGrantable(actor, { permissions: requested }).parentId;
}
