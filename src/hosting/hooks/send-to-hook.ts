import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { readCommit } from '../../git/read-objects.ts';
import { readRef } from '../../git/refs.ts';
import { openRepository, type RepositorySource } from '../../git/repository.ts';
import { peelToCommit } from '../../git/revision.ts';
import { zenOf } from '../meta/zen.ts';
import { belongsTo, type OwningSource } from '../owning-source.ts';
import type { JsonValue, PushEventData } from '../webhooks/hook-event.ts';
import { formatPayloadTime } from '../webhooks/payload-time.ts';
import { resumeReceiver } from '../webhooks/receiver-pause.ts';
import { eventMetadata, recordHookEvent, subscribesTo } from '../webhooks/record-hook-event.ts';
import { secretMask } from '../webhooks/webhook-secret.ts';
import { hookPathSql } from './hooks.queries.ts';

type SendContext = Pick<Context, 'actor' | 'now' | 'publicOrigin'>;

/**
 * Sends a `ping` to a hook, also to one that is not active.
 *
 * @throws 404 when the source has none with this id.
 */
export async function pingHook(
  context: SendContext & Pick<Context, 'transaction'>,
  source: OwningSource,
  id: number,
): Promise<void> {
  await context.transaction(db => recordPing(db, context, source, id));
}

/** Records the `ping` of a hook in the transaction of its cause. */
export async function recordPing(
  db: Kysely<unknown>,
  context: SendContext,
  source: OwningSource,
  id: number,
): Promise<void> {
  const { rows } = await sql<HookPayloadRow>`
    select h.url, h.content_type as "contentType", h.secret_sealed is not null as "hasSecret", h.insecure_ssl as "insecureSsl",
      h.events, h.is_active as "isActive", to_json(h.created_at) #>> '{}' as "createdAt",
      to_json(h.updated_at) #>> '{}' as "updatedAt",
      ${hookPathSql} as path
    from hook h where h.id = ${id} and ${belongsTo(source, 'h')}`.execute(db);
  const [row] = rows;
  if (!row) throw notFound();
  await resumeReceiver(db, { hookId: id });
  const own = { zen: zenOf(id), hook_id: id, hook: hookPayload(context, source, id, row) };
  const organizationId = source.kind === 'organization' ? source.id : undefined;
  await recordHookEvent(db, { ...eventMetadata(context), event: 'ping', hookId: id, organizationId, own });
}

interface HookPayloadRow {
  url: string;
  contentType: string;
  hasSecret: boolean;
  insecureSsl: boolean;
  events: string[];
  isActive: boolean;
  createdAt: string;
  updatedAt: string;
  path: string;
}

function hookPayload(
  { publicOrigin }: SendContext,
  { kind }: OwningSource,
  id: number,
  row: HookPayloadRow,
): JsonValue {
  const url = `${publicOrigin}/api/v3${row.path}`;
  return {
    type: kind === 'repository' ? 'Repository' : 'Organization',
    id,
    name: 'web',
    active: row.isActive,
    events: row.events,
    config: {
      content_type: row.contentType,
      insecure_ssl: row.insecureSsl ? '1' : '0',
      ...(row.hasSecret ? { secret: secretMask } : {}),
      url: row.url,
    },
    updated_at: formatPayloadTime(new Date(row.updatedAt)),
    created_at: formatPayloadTime(new Date(row.createdAt)),
    url,
    ...(kind === 'repository' ? { test_url: `${url}/tests` } : {}),
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    ...(kind === 'repository' ? { last_response: { code: null, status: 'unused', message: null } } : {}),
  };
}

/**
 * Sends the newest commit of the default branch to a hook as a push, if it subscribes to pushes. Sends nothing where the branch
 * has no commit.
 *
 * @throws 404 when the source is no repository, or has no hook with this id.
 */
export async function testHook(context: Context, source: OwningSource, id: number): Promise<void> {
  const [found] = await context.read(sql<{ isSubscribed: boolean; branch: string }>`
    select ${subscribesTo('push')} as "isSubscribed", r.default_branch as branch
    from hook h join repository r on r.id = h.repository_id where h.id = ${id} and ${belongsTo(source, 'h')}`);
  if (!found) throw notFound();
  const push = found.isSubscribed ? await newestPush(context, source.id, `refs/heads/${found.branch}`) : undefined;
  if (!push) return;
  await context.transaction(db => recordHookEvent(db, { ...eventMetadata(context), event: 'push', hookId: id, push }));
}

/** The newest commit of a branch as a push. */
async function newestPush(
  context: RepositorySource,
  repositoryId: number,
  ref: string,
): Promise<PushEventData | undefined> {
  const repository = openRepository(context, repositoryId);
  const tip = await readRef(repository, ref);
  const head = tip && (await peelToCommit(repository, tip));
  if (head === undefined) return undefined;
  const [before = '0'.repeat(40)] = (await readCommit(repository, head)).parents;
  return { ref, before, after: head, baseRef: null, forced: false, head, commits: [[head, true]] };
}
