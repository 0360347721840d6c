import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { organizationsFor } from '../organizations/organization-access.ts';
import { type OwningSource, sourceOfId, sourceOfRow } from '../owning-source.ts';
import { organizationSource, type RulesetSource, requireRepositorySource } from './ruleset-source.ts';

const scopes = { repository: 'administration:write', organization: 'org-administration:write' } as const;

/**
 * The source with this global id.
 * @throws 404 when the caller cannot see it; 401 or 403 when the caller lacks the access to write its rulesets
 */
export async function writableSource(context: Context, sourceId: string): Promise<RulesetSource> {
  return requireSource(context, sourceOfId(context, sourceId, scopes));
}

/** The source of a ruleset. @throws as `writableSource`; 404 when there is no such ruleset */
export async function writableSourceOf(context: Context, rulesetId: number): Promise<RulesetSource> {
  return requireSource(context, await sourceOfRow(context, 'ruleset', rulesetId, scopes));
}

async function requireSource(context: Context, { kind, id }: OwningSource): Promise<RulesetSource> {
  if (kind === 'repository') return requireRepositorySource(context, { id }, scopes.repository);
  const [found] = await organizationsFor(context, [id], scopes.organization);
  if (found instanceof Error) throw found;
  if (!found) throw notFound();
  return organizationSource(found);
}
