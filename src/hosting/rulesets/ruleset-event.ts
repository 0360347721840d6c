import type { Kysely } from 'kysely';
import { encodeGlobalId } from '../../../schema/vocabulary/global-id.ts';
import type { Context } from '../../context/context.ts';
import type { JsonValue } from '../webhooks/hook-event.ts';
import { eventMetadata, recordHookEvent } from '../webhooks/record-hook-event.ts';
import type { RulesetSource } from './ruleset-source.ts';
import { type RulesetRow, rulesetOf } from './rulesets.queries.ts';

type EventContext = Pick<Context, 'actor' | 'publicOrigin' | 'now'>;

/** Loads a ruleset of a source within a transaction; null when there is none with this id. */
export function rulesetInTransaction(
  db: Kysely<unknown>,
  source: RulesetSource,
  id: number,
): Promise<RulesetRow | null> {
  return rulesetOf({ read: async query => (await query.execute(db)).rows }, source, id);
}

/**
 * Records the webhook event for a change of a ruleset in the transaction of the change. `before` is the previous
 * version of an edited ruleset.
 */
export async function recordRulesetEvent(
  db: Kysely<unknown>,
  context: EventContext,
  source: RulesetSource,
  action: 'created' | 'edited' | 'deleted',
  { ruleset, before }: { ruleset: RulesetRow; before?: RulesetRow | undefined },
): Promise<void> {
  const changes = before && changesOf(before, ruleset);
  const own = { repository_ruleset: rulesetPayload(ruleset, context), ...(changes ? { changes } : {}) };
  const event = { ...eventMetadata(context), event: 'repository_ruleset', action, own } as const;
  const about = source.kind === 'repository' ? { repositoryId: source.id } : { organizationId: source.id };
  await recordHookEvent(db, { ...event, ...about });
}

/** URLs of a ruleset in the REST API and on the website. */
export function rulesetLinks(
  { organizationId, sourceName, databaseId }: Pick<RulesetRow, 'organizationId' | 'sourceName' | 'databaseId'>,
  { apiBaseUrl, origin }: Pick<Context, 'apiBaseUrl' | 'origin'>,
): { self: { href: string }; html: { href: string } } {
  const [api, web] =
    organizationId === null
      ? [`repos/${sourceName}/rulesets`, `${sourceName}/rules`]
      : [`orgs/${sourceName}/rulesets`, `organizations/${sourceName}/settings/rules`];
  return { self: { href: `${apiBaseUrl}/${api}/${databaseId}` }, html: { href: `${origin}/${web}/${databaseId}` } };
}

/**
 * Payload form, with everything that an administrator can read. Built at once, because the ruleset can be changed or
 * deleted before the delivery is sent.
 */
function rulesetPayload(row: RulesetRow, context: EventContext): JsonValue {
  return {
    id: row.databaseId,
    name: row.name,
    target: row.target,
    source_type: row.organizationId === null ? 'Repository' : 'Organization',
    source: row.sourceName,
    enforcement: row.enforcement,
    bypass_actors: row.bypassActors.map(actor => ({ ...actor })),
    node_id: encodeGlobalId('RepositoryRuleset', row.databaseId),
    _links: rulesetLinks(row, { apiBaseUrl: `${context.publicOrigin}/api/v3`, origin: context.publicOrigin }),
    conditions: row.conditions as unknown as JsonValue,
    rules: row.rules as unknown as JsonValue[],
    created_at: formatSecond(row.createdAt),
    updated_at: formatSecond(row.updatedAt),
  };
}

const formatSecond = (time: string): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

/** Previous values of changed keys, for the two keys that are published. */
function changesOf(before: RulesetRow, now: RulesetRow): JsonValue | undefined {
  const changed = (['name', 'enforcement'] as const).filter(key => before[key] !== now[key]);
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map(key => [key, { from: before[key] }]));
}
