import { type RawBuilder, sql } from 'kysely';
import { ssoOrganizationsOf } from '../../auth/sso.ts';
import type { Context } from '../../context/context.ts';
import { withheldBySsoFrom } from '../repositories/repository-access.ts';
import { organizationAccessDecision } from './organization-access.ts';

type OmissionContext = Pick<Context, 'actor' | 'read' | 'omittedOrganizations'>;

/** What a list has before visibility: repositories (SQL over `r`, `o`), or memberships (SQL over `m`). */
export type Candidates =
  | { of: 'repositories'; where: RawBuilder<unknown> }
  | { of: 'memberships'; where: RawBuilder<unknown> };

/** SQL: organizations with candidates that the caller would see if the token were authorized for their single sign-on. */
function withheldOrganizations({ actor }: OmissionContext, { of, where }: Candidates): RawBuilder<{ id: number }> {
  if (of === 'repositories')
    return sql`select distinct o.id from repository r join account o on o.id = r.owner_id
      where o.enforces_sso and (${where}) and ${withheldBySsoFrom(actor)} order by o.id`;
  return sql`select distinct a.id from membership m join account a on a.id = m.organization_id
    where not m.is_public and (${where}) and ${organizationAccessDecision(actor, 'org:read')} = 'sso' order by a.id`;
}

/**
 * A source of rows that leaves out what the caller cannot see: each read of rows also notes the organizations that single sign-on
 * withholds, which the answer's header names. Every list over a condition of visibility is made by it. No statement for a token that needs
 * no authorization.
 *
 * @param candidates of the list; the argument is the first one of `rows`: the keys of a list of many parents. Undefined for none
 */
export function sayingWhatIsWithheld<
  Argument,
  Row,
  Source extends { rows(first: Argument, page: never): Promise<Row> },
>(
  context: OmissionContext,
  source: Source & { rows(first: Argument, page: never): Promise<Row> },
  candidates: (first: Argument) => Candidates | undefined,
): Source {
  const { actor, read, omittedOrganizations } = context;
  if (actor.kind !== 'user' || ssoOrganizationsOf(actor.credential) === null) return source;
  const note = async (first: Argument): Promise<void> => {
    const found = candidates(first);
    if (!found) return;
    for (const { id } of await read(withheldOrganizations(context, found))) omittedOrganizations.add(id);
  };
  return {
    ...source,
    async rows(first: Argument, page: never): Promise<Row> {
      const [rows] = await Promise.all([source.rows(first, page), note(first)]);
      return rows;
    },
  };
}
