import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { HostingScope } from '../../schema/vocabulary/access.ts';
import { decodeGlobalId } from '../../schema/vocabulary/global-id.ts';
import { checkHostingScope } from '../auth/check-hosting-scope.ts';
import type { Context } from '../context/context.ts';
import { numberOfId } from '../context/global-ids.ts';
import { notFound } from '../errors/errors.ts';
import { organizationsFor } from './organizations/organization-access.ts';
import { accessDecision } from './repositories/repository-access.ts';

/** The repository or organization that a ruleset or a hook belongs to. */
export interface OwningSource {
  kind: 'repository' | 'organization';
  id: number;
}

/** The access that is needed at a source of each kind. */
type SourceScopes = Readonly<Record<OwningSource['kind'], HostingScope>>;

/**
 * The source with this global id. Whether the caller has the access there is not checked.
 *
 * @throws 401 or 403 when the credential lacks the access everywhere
 */
export function sourceOfId({ actor }: Pick<Context, 'actor'>, sourceId: string, scopes: SourceScopes): OwningSource {
  const id = numberOfId(['Organization', 'Repository'], sourceId, 'sourceId');
  const kind = decodeGlobalId(sourceId)?.type === 'Repository' ? 'repository' : 'organization';
  const verdict = checkHostingScope(scopes[kind], actor);
  if (verdict !== true) throw verdict;
  return { kind, id };
}

/** The source of a ruleset or a hook. @throws as `sourceOfId`; 404 when there is no such row */
export async function sourceOfRow(
  { actor, read }: Pick<Context, 'actor' | 'read'>,
  table: 'ruleset' | 'hook',
  id: number,
  scopes: SourceScopes,
): Promise<OwningSource> {
  const verdict = checkHostingScope(scopes.repository, actor);
  // Either access is enough here: only a caller who can see the row learns which kind of source it has.
  if (verdict !== true && checkHostingScope(scopes.organization, actor) !== true) throw verdict;
  const [found] = await read(sql<OwningSource>`
    select case when organization_id is null then 'repository' else 'organization' end as kind,
      coalesce(organization_id, repository_id) as id
    from ${sql.table(table)} where id = ${id}`);
  if (!found) throw notFound();
  return found;
}

/** SQL condition over a table `alias` whose rows belong to sources: they belong to this one. */
export const belongsTo = ({ kind, id }: OwningSource, alias: string): RawBuilder<unknown> =>
  sql`${sql.ref(`${alias}.${kind === 'repository' ? 'repository_id' : 'organization_id'}`)} = ${id}`;

/** Serializes changes to what a source has, so that concurrent ones cannot exceed its limits. */
export async function lockSource(db: Kysely<unknown>, { kind, id }: OwningSource): Promise<void> {
  await sql`select 1 from ${sql.table(kind === 'repository' ? 'repository' : 'account')}
    where id = ${id} for no key update`.execute(db);
}

/** DataLoader batch function: whether the caller has the access of `scope` to each repository. */
export const repositoriesAllowing =
  (scope: HostingScope) =>
  async ({ actor, read }: Pick<Context, 'actor' | 'read'>, ids: readonly number[]): Promise<boolean[]> => {
    const rows = await read(sql<{ id: number }>`select r.id from repository r join account o on o.id = r.owner_id
      where r.id = any(${[...ids]}::bigint[]) and ${accessDecision(actor, scope)} = 'allowed'`);
    const allowed = new Set(rows.map(({ id }) => id));
    return ids.map(id => allowed.has(id));
  };

/** The same for organizations. An error where only single sign-on is missing. */
export const organizationsAllowing =
  (scope: HostingScope) =>
  async (context: Context, ids: readonly number[]): Promise<(boolean | Error)[]> => {
    const found = await organizationsFor(context, ids, scope);
    return found.map(one => (one instanceof Error ? one : one !== null));
  };
