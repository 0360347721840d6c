import { type Kysely, sql } from 'kysely';
import { DecryptionError } from '../../auth/encryption.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import type { JobLog } from '../../jobs/job-log.ts';
import type { Attempt } from '../../jobs/task.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import { attemptDelivery, type DeliveryResult, timedOut } from './attempt-delivery.ts';
import { buildPayload, NotInstalledError, type SerializeObjects } from './build-payload.ts';
import { enqueueDeliveries } from './delivery-job.ts';
import { receiverKey } from './delivery-receiver.ts';
import { buildDeliveryRequest, type DeliveryTarget } from './delivery-request.ts';
import { type AttemptRecord, type DeliveryWriter, recordAttempts } from './delivery-writer.ts';
import type { DeliveryEndpoint, EndpointLimiter } from './endpoint-limiter.ts';
import { maxPayloadBytes, PayloadTooLargeError } from './payload-commits.ts';
import type { PendingDelivery } from './pending-deliveries.ts';
import { countTimeout, forgetTimeouts, maxPausedMs, timeoutsToPause } from './receiver-pause.ts';
import { retryDelayMs } from './retry-schedule.ts';
import type { WebhookSigningKeys } from './webhook-secret.ts';

export interface DeliveryDependencies {
  config: Config;
  database: Database;
  clock: Clock;
  outbound: OutboundClient;
  limiter: EndpointLimiter;
  /** @throws DecryptionError when the secret was sealed with another SECRET_KEY. */
  openSecret(sealed: string): WebhookSigningKeys;
  writer: DeliveryWriter;
  serialize: SerializeObjects;
  /** `JSON.stringify` in turns of the event loop: a payload of 25 MB takes 150 ms. */
  formatJson(value: object): Promise<string>;
  log: JobLog;
  /** Loads an unsent delivery; undefined when it was sent or deleted. */
  findPending(id: number): Promise<PendingDelivery | undefined>;
}

/**
 * Sends one delivery, or postpones it when its receiver is over its limits. Does nothing when the delivery was already
 * sent.
 */
export async function sendDelivery(
  dependencies: DeliveryDependencies,
  id: number,
  { signal }: Pick<Attempt, 'signal'>,
): Promise<void> {
  const pending = await dependencies.findPending(id);
  if (pending) await deliver(dependencies, pending, signal);
}

async function deliver(
  dependencies: DeliveryDependencies,
  pending: PendingDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { config, clock, outbound, limiter, writer } = dependencies;
  const { webhookUrl: url, webhookContentType: contentType, webhookInsecureSsl: insecure, guid, event } = pending;
  const at = clock();
  if (url === null || pending.isDisabled)
    return recordResult(dependencies, pending, { at, result: notSent('the webhook is switched off', 410) });
  const pausedMs = pending.pausedUntil === null ? 0 : Math.max(0, Date.parse(pending.pausedUntil) - at.getTime());
  if (pausedMs > 0 && at.getTime() - Date.parse(pending.createdAt) > maxPausedMs)
    return recordResult(dependencies, pending, {
      at,
      url,
      result: notSent('the receiver is paused after time-outs', 504),
    });
  const admission = await limiter.acquire(endpointOf(pending, url, pausedMs));
  if ('delayMs' in admission) {
    const kept = pending.payload === null ? {} : { payload: pending.payload };
    return writer.defer({ id: pending.id, at: clock(), delayMs: admission.delayMs, ...kept });
  }
  let elapsedMs: number | undefined;
  let attempt: AttemptRecord;
  try {
    const payload = pending.payload ?? (await payloadOf(dependencies, pending));
    if (typeof payload === 'object') attempt = { at, url, result: payload };
    else {
      const keys = keysOf(dependencies, pending);
      // Never send unsigned instead: a receiver might accept it, or stop verifying.
      if (keys === 'sealed')
        attempt = { at, url, result: notSent('the secret was sealed with another SECRET_KEY', 500) };
      else {
        const { headers, body } = await buildDeliveryRequest(
          { brand: config.HOSTING_BRAND, guid, event, target: targetOf(pending), contentType, keys, at },
          payload,
        );
        const startedAt = performance.now();
        const result = await attemptDelivery(outbound, { url, headers, body, insecure }, signal).finally(() => {
          elapsedMs = performance.now() - startedAt;
        });
        // A stored payload stays.
        attempt = { at, url, headers, result, ...(pending.payload === null ? { payload } : {}) };
      }
    }
  } finally {
    admission.release(elapsedMs);
  }
  await recordResult(dependencies, pending, attempt);
}

/** `sealed`: with another key than that of this process. */
function keysOf(
  { openSecret }: DeliveryDependencies,
  { webhookSecretSealed: sealed }: PendingDelivery,
): WebhookSigningKeys | 'sealed' | undefined {
  if (sealed === null) return undefined;
  try {
    return openSecret(sealed);
  } catch (error) {
    if (error instanceof DecryptionError) return 'sealed';
    throw error;
  }
}

/** Where the delivery goes, for the limits that it shares with others. */
const endpointOf = (pending: PendingDelivery, url: string, pausedMs: number): DeliveryEndpoint => ({
  receiver: receiverKey(pending),
  owner: String(pending.receiverOwnerId),
  host: URL.canParse(url) ? new URL(url).host : url,
  pausedMs,
  isSilent: pending.timeouts >= timeoutsToPause,
  isUrgent: pending.event === 'ping' || (pending.redelivery && pending.attempt === 1),
});

const targetOf = ({ hookId, targetKind, targetId }: PendingDelivery): DeliveryTarget => ({
  hookId: hookId ?? targetId,
  kind: targetKind,
  id: targetId,
});

/** Builds the payload; returns a failed result when there is none to send. */
async function payloadOf(
  { serialize, formatJson }: DeliveryDependencies,
  pending: PendingDelivery,
): Promise<string | DeliveryResult> {
  try {
    const payload = await formatJson(await buildPayload({ ...pending, cause: pending.cause ?? {} }, serialize));
    if (Buffer.byteLength(payload) > maxPayloadBytes) throw new PayloadTooLargeError();
    return payload;
  } catch (error) {
    if (error instanceof NotInstalledError)
      return notSent(
        pending.hookId === null ? 'the app is not installed any more' : 'the hook lost the repository',
        404,
      );
    if (error instanceof PayloadTooLargeError) return notSent('the payload is larger than 25 MB', 413);
    throw error;
  }
}

const notSent = (status: string, statusCode: number): DeliveryResult => ({
  status,
  statusCode,
  duration: 0,
  responseHeaders: null,
  responsePayload: null,
  retryAfterMs: undefined,
});

/** Records the result of an attempt. Schedules a retry of a failed attempt when the app asks for retries. */
async function recordResult(
  dependencies: DeliveryDependencies,
  pending: PendingDelivery,
  attempt: AttemptRecord,
): Promise<void> {
  const { database, limiter, writer } = dependencies;
  const record = { ...attempt, id: pending.id };
  const { statusCode, retryAfterMs } = attempt.result;
  const isFailed = statusCode < 200 || statusCode >= 300;
  await notePause(dependencies, pending, attempt);
  if (!pending.webhookRetries || !isFailed || attempt.headers === undefined) return writer.recordAttempt(record);
  if ([429, 502, 504].includes(statusCode)) limiter.pause(receiverKey(pending), retryAfterMs ?? 1_000);
  const delayMs = statusCode === 410 ? undefined : retryDelayMs(pending.attempt, retryAfterMs);
  await inTransaction(database, async db => {
    // Another worker recorded this attempt first and has scheduled the retry.
    if (!(await recordAttempts(db, [record])).has(pending.id)) return;
    if (statusCode === 410) {
      await sql`update app set webhook_disabled_at = ${attempt.at} where id = ${pending.appId} and webhook_url = ${pending.webhookUrl}`.execute(
        db,
      );
    }
    if (delayMs !== undefined)
      await repeatDelivery(db, pending.id, attempt.at, { attempt: pending.attempt + 1, delayMs });
  });
}

/** Counts deliveries without an answer in time, after some of which the receiver is paused. */
async function notePause(
  { database, log }: DeliveryDependencies,
  pending: PendingDelivery,
  { at, headers, result: { status } }: AttemptRecord,
): Promise<void> {
  if (headers === undefined) return;
  const { appId, hookId } = pending;
  const receiver = appId === null ? { hookId: hookId ?? 0 } : { appId };
  if (status !== timedOut) {
    if (pending.timeouts > 0) await forgetTimeouts(database.sql, receiver);
    return;
  }
  const until = await countTimeout(database.sql, receiver, at);
  if (until !== null) log.info({ receiver: receiverKey(pending), until }, 'a receiver of webhooks is paused');
}

/** Copies a sent delivery to a new one with the same GUID and payload, and enqueues it. */
export async function repeatDelivery(
  db: Kysely<unknown>,
  id: number,
  at: Date,
  { attempt, delayMs }: { attempt: number; delayMs?: number },
): Promise<number | undefined> {
  const inserted = await sql<{ id: number }>`
    insert into webhook_delivery (app_id, hook_id, guid, event, action, installation_id, repository_id, cause, payload, redelivery,
      attempt, created_at)
    select app_id, hook_id, guid, event, action, installation_id, repository_id, cause, payload, true, ${attempt}::int, ${at}::timestamptz
    from webhook_delivery where id = ${id} returning id`.execute(db);
  const [row] = inserted.rows;
  if (!row) return undefined;
  await enqueueDeliveries(db, [delayMs === undefined ? row : { ...row, delayMs }]);
  return row.id;
}
