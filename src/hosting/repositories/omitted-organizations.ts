import { type RawBuilder, sql } from 'kysely';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import type { Context } from '../../context/context.ts';
import { withheldBySsoFrom } from './repository-access.ts';

type OmissionContext = Pick<Context, 'actor' | 'read' | 'omittedOrganizations'>;

/**
 * Notes the organizations whose repositories a list leaves out because the token is not authorized for their single sign-on; the
 * answer's header names them. Every list of what is in repositories calls it with its page. No statement for a token that needs no
 * authorization.
 *
 * @param condition of the list over `r` (repository) and `o` (its owner), without visibility
 */
export async function noteOmittedOrganizations(
  { actor, read, omittedOrganizations }: OmissionContext,
  condition: RawBuilder<unknown>,
): Promise<void> {
  if (actor.kind !== 'user' || ssoOrganizationsOf(actor.credential) === null) return;
  const found = await read(sql<{ id: number }>`select distinct o.id
    from repository r join account o on o.id = r.owner_id
    where o.enforces_sso and (${condition}) and ${withheldBySsoFrom(actor)} order by o.id`);
  for (const { id } of found) omittedOrganizations.add(id);
}
