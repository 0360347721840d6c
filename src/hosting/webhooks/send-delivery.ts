import { type Kysely, sql } from 'kysely';
import type { PermissionMap } from '../../../schema/hosting/permission-map.ts';
import type { Keys } from '../../auth/keys.ts';
import { SealBroken } from '../../auth/seal.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import type { Attempt } from '../../jobs/run-task.ts';
import type { Outbound } from '../../outbound/outbound-client.ts';
import { deliveryJob } from './delivery-job.ts';
import { attemptDelivery, type DeliveryResult } from './delivery-outcome.ts';
import { deliveryRequest } from './delivery-request.ts';
import type { EndpointBudgets } from './endpoint-budgets.ts';
import type { HookCause } from './hook-event.ts';
import {
  type HookPlace,
  makePayload,
  NoLongerInstalled,
  type PayloadContext,
  type PublishObjects,
  toldActor,
} from './make-payload.ts';
import { largestPayload, PayloadTooLarge } from './payload-commits.ts';
import { retryDelay } from './retry-schedule.ts';
import { webhookSecret } from './webhook-secret.ts';

export interface DeliveryTools {
  config: Config;
  database: Database;
  keys: Keys;
  clock: Clock;
  outbound: Outbound;
  budgets: EndpointBudgets;
  publish: PublishObjects;
  /** What resolvers of a payload's objects run in. */
  contextFor(actor: PayloadContext['actor'], origin: string | undefined): PayloadContext;
}

/** A delivery that has not been made, with where it goes. */
interface Pending {
  id: number;
  appId: number;
  guid: string;
  event: string;
  action: string | null;
  installationId: number | null;
  repositoryId: number | null;
  cause: HookCause | null;
  payload: string | null;
  attempt: number;
  url: string | null;
  contentType: 'json' | 'form';
  secretSealed: string | null;
  insecure: boolean;
  retries: boolean;
  isDisabled: boolean;
  accountId: number | null;
  repositorySelection: 'all' | 'selected' | null;
  permissions: PermissionMap | null;
  /** Of the repository; null where there is none. */
  place: HookPlace | null;
}

/** Makes one delivery, or puts it back when its receiver has enough. One that has been made is left alone. */
export async function sendDelivery(
  tools: DeliveryTools,
  id: number,
  { signal }: Pick<Attempt, 'signal'>,
): Promise<void> {
  const pending = await pendingDelivery(tools, id);
  if (pending) await deliver(tools, pending, signal);
}

async function pendingDelivery({ database }: DeliveryTools, id: number): Promise<Pending | undefined> {
  const [found] = await database.read(sql<Pending>`
    select d.id, d.app_id as "appId", d.guid, d.event, d.action, d.installation_id as "installationId",
      d.repository_id as "repositoryId", d.cause, d.payload, d.attempt, a.webhook_url as url,
      a.webhook_content_type as "contentType", a.webhook_secret_sealed as "secretSealed",
      a.webhook_insecure_ssl as insecure, a.webhook_retries as retries, a.webhook_disabled_at is not null as "isDisabled",
      i.account_id as "accountId", i.repository_selection as "repositorySelection", i.permissions,
      case when r.id is not null then json_build_object('databaseId', r.id, 'name', r.name, 'networkRootId', r.network_root_id,
        'ownerId', o.id, 'ownerLogin', o.login, 'ownerKind', o.kind) end as place
    from webhook_delivery d join app a on a.id = d.app_id left join installation i on i.id = d.installation_id
    left join repository r on r.id = d.repository_id left join account o on o.id = r.owner_id
    where d.id = ${id} and d.delivered_at is null`);
  return found;
}

/** The payload is kept: whatever receivers do, it is made once. */
async function putBack({ database, clock }: DeliveryTools, id: number, payload: string, ms: number): Promise<void> {
  await inTransaction(database, async db => {
    await sql`update webhook_delivery set throttled_at = coalesce(throttled_at, ${clock()}), payload = ${payload}, cause = null
      where id = ${id}`.execute(db);
    // Jobs live by the time of the machine, whatever the product's clock says.
    await enqueue(db, deliveryJob, { id }, { startAfter: new Date(Date.now() + ms) });
  });
}

async function deliver(tools: DeliveryTools, pending: Pending, signal: AbortSignal): Promise<void> {
  const { config, clock, outbound, keys, budgets } = tools;
  const { url, contentType, insecure, appId, guid, event } = pending;
  const at = clock();
  if (url === null || pending.isDisabled)
    return note(tools, pending, { at, result: unsent('the webhook is switched off', 410) });
  const payload = pending.payload ?? (await payloadOf(tools, pending));
  if (typeof payload === 'object') return note(tools, pending, { at, url, result: payload });
  let secret: string | undefined;
  try {
    secret = webhookSecret(keys, pending.secretSealed);
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    // Never unsigned instead: a receiver could take that for ours, or learn to do without.
    return note(tools, pending, { at, url, result: unsent('the secret was sealed with another SECRET_KEY', 500) });
  }
  const leave = await budgets.enter(appId);
  if ('holdMs' in leave) return putBack(tools, pending.id, payload, leave.holdMs);
  const from = performance.now();
  const { headers, body } = deliveryRequest(
    { brand: config.HOST_BRAND, guid, event, appId, contentType, secret, at },
    payload,
  );
  const result = await attemptDelivery(outbound, { url, headers, body, insecure }, signal).finally(() =>
    leave.leave(performance.now() - from),
  );
  await note(tools, pending, { at, url, headers, payload, result });
}

/** The payload, or why there is none. */
async function payloadOf(tools: DeliveryTools, pending: Pending): Promise<string | DeliveryResult> {
  const { installationId, accountId, repositorySelection, permissions, appId, cause } = pending;
  const isInstalled = installationId !== null && accountId !== null && repositorySelection !== null;
  const actor = isInstalled
    ? toldActor({ databaseId: installationId, appId, accountId, repositorySelection, permissions: permissions ?? {} })
    : ({ kind: 'app', ip: '', appId } as const);
  try {
    const context = tools.contextFor(actor, cause?.origin);
    const payload = JSON.stringify(await makePayload(context, { ...pending, cause: cause ?? {} }, tools.publish));
    if (Buffer.byteLength(payload) > largestPayload) throw new PayloadTooLarge();
    return payload;
  } catch (error) {
    if (error instanceof NoLongerInstalled) return unsent('the app is not installed any more', 404);
    if (error instanceof PayloadTooLarge) return unsent('the payload is larger than 25 MB', 413);
    throw error;
  }
}

const unsent = (status: string, statusCode: number): DeliveryResult => ({
  status,
  statusCode,
  duration: 0,
  responseHeaders: null,
  responsePayload: null,
  retryAfter: undefined,
});

interface Made {
  at: Date;
  result: DeliveryResult;
  url?: string;
  headers?: Record<string, string>;
  payload?: string;
}

/** Writes down what came of an attempt and, where the app wants that, has a failed one repeated. */
async function note(tools: DeliveryTools, pending: Pending, made: Made): Promise<void> {
  const { database, budgets } = tools;
  const { statusCode, retryAfter } = made.result;
  const isFailed = statusCode < 200 || statusCode >= 300;
  if (!pending.retries || !isFailed || made.headers === undefined) {
    await writeDown(database.sql, pending, made);
    return;
  }
  if ([429, 502, 504].includes(statusCode)) budgets.pause(pending.appId, retryAfter ?? 1_000);
  const ms = statusCode === 410 ? undefined : retryDelay(pending.attempt, retryAfter);
  await inTransaction(database, async db => {
    if (!(await writeDown(db, pending, made))) return;
    if (statusCode === 410) {
      await sql`update app set webhook_disabled_at = ${made.at} where id = ${pending.appId} and webhook_url = ${pending.url}`.execute(
        db,
      );
    }
    if (ms !== undefined) await repeatDelivery(db, pending.id, made.at, { attempt: pending.attempt + 1, afterMs: ms });
  });
}

/** False when somebody else has written it down before. */
async function writeDown(db: Kysely<unknown>, { id }: Pending, made: Made): Promise<boolean> {
  const { at, url, headers, payload, result } = made;
  const json = (value: object | null | undefined): string | null => (value == null ? null : JSON.stringify(value));
  // The disk is not waited for. The job is settled behind this in the same log, so a crash of the database can lose the record
  // only together with that, and the delivery is made once more.
  const written = await sql`
    with soon as materialized (select set_config('synchronous_commit', 'off', true))
    update webhook_delivery set delivered_at = ${at}, duration = ${result.duration}, status = ${result.status},
      status_code = ${result.statusCode}, url = ${url ?? ''}, request_headers = ${json(headers)}::jsonb,
      payload = coalesce(payload, ${payload ?? null}), cause = case when ${payload !== undefined} then null else cause end,
      response_headers = ${json(result.responseHeaders)}::jsonb, response_payload = ${result.responsePayload}
    from soon where id = ${id} and delivered_at is null returning id`.execute(db);
  return written.rows.length > 0;
}

/** Makes a new delivery out of one that has been made, with the same guid and payload, and has it sent. */
export async function repeatDelivery(
  db: Kysely<unknown>,
  id: number,
  at: Date,
  { attempt, afterMs }: { attempt: number; afterMs?: number },
): Promise<number | undefined> {
  const made = await sql<{ id: number }>`
    insert into webhook_delivery (app_id, guid, event, action, installation_id, repository_id, cause, payload, redelivery,
      attempt, created_at)
    select app_id, guid, event, action, installation_id, repository_id, cause, payload, true, ${attempt}::int, ${at}::timestamptz
    from webhook_delivery where id = ${id} returning id`.execute(db);
  const [row] = made.rows;
  if (!row) return undefined;
  const later = afterMs === undefined ? {} : { startAfter: new Date(Date.now() + afterMs) };
  await enqueue(db, deliveryJob, { id: row.id }, later);
  return row.id;
}
