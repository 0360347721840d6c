import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationFor } from './organization-access.ts';

/**
 * Sets whether an organization requires single sign-on authorization for classic tokens. Existing authorizations
 * remain.
 */
export async function enforceSso(context: Context, organizationId: number, enforce: boolean): Promise<number> {
  const found = await organizationFor(context, organizationId, 'org-administration:write');
  if (!found) throw notFound();
  await context.transaction(db =>
    sql`update account set enforces_sso = ${enforce}, updated_at = ${context.now()} where id = ${found.id}`.execute(db),
  );
  return found.id;
}
