import { sql } from 'kysely';
import { decodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import { checkHostingScope } from '../../auth/check-hosting-scope.ts';
import type { Context } from '../../context/context.ts';
import { numberOfId } from '../../context/global-ids.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationsFor } from '../organizations/organization-access.ts';
import { organizationSource, type RulesetSource, requireRepositorySource } from './ruleset-source.ts';

type SourceAddress = Pick<RulesetSource, 'kind' | 'id'>;

const scopes = { repository: 'administration:write', organization: 'org-administration:write' } as const;

/**
 * The source with this global id.
 * @throws 404 when the caller cannot see it; 401 or 403 when the caller lacks the access to write its rulesets
 */
export async function writableSource(context: Context, sourceId: string): Promise<RulesetSource> {
  const id = numberOfId(['Organization', 'Repository'], sourceId, 'sourceId');
  const kind = decodeGlobalId(sourceId)?.type === 'Repository' ? 'repository' : 'organization';
  const verdict = checkHostingScope(scopes[kind], context.actor);
  if (verdict !== true) throw verdict;
  return requireSource(context, { kind, id });
}

/** The source of a ruleset. @throws as `writableSource`; 404 when there is no such ruleset */
export async function writableSourceOf(context: Context, rulesetId: number): Promise<RulesetSource> {
  const verdict = checkHostingScope(scopes.repository, context.actor);
  // Only a caller who can see the ruleset learns that it belongs to a repository.
  if (verdict !== true && checkHostingScope(scopes.organization, context.actor) !== true) throw verdict;
  const [found] = await context.read(sql<SourceAddress>`
    select case when organization_id is null then 'repository' else 'organization' end as kind,
      coalesce(organization_id, repository_id) as id
    from ruleset where id = ${rulesetId}`);
  if (!found) throw notFound();
  return requireSource(context, found);
}

async function requireSource(context: Context, { kind, id }: SourceAddress): Promise<RulesetSource> {
  if (kind === 'repository') return requireRepositorySource(context, { id }, scopes.repository);
  const [found] = await organizationsFor(context, [id], scopes.organization);
  if (found instanceof Error) throw found;
  if (!found) throw notFound();
  return organizationSource(found);
}
