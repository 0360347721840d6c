import { sql } from 'kysely';
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
