import { type Kysely, sql } from 'kysely';
import { SealBroken } from '../../auth/seal.ts';
import type { Config } from '../../config/config.ts';
import type { Clock } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import type { Attempt } from '../../jobs/run-task.ts';
import type { Outbound } from '../../outbound/outbound-client.ts';
import { deliveryJob } from './delivery-job.ts';
import { attemptDelivery, type DeliveryResult } from './delivery-outcome.ts';
import { type DeliveryRecords, type Made, writeDown } from './delivery-records.ts';
import { deliveryRequest } from './delivery-request.ts';
import type { EndpointBudgets } from './endpoint-budgets.ts';
import { makePayload, NoLongerInstalled, type PublishObjects } from './make-payload.ts';
import { largestPayload, PayloadTooLarge } from './payload-commits.ts';
import type { Pending } from './pending-deliveries.ts';
import { retryDelay } from './retry-schedule.ts';
import type { SigningKeys } from './webhook-secret.ts';

export interface DeliveryTools {
  config: Config;
  database: Database;
  clock: Clock;
  outbound: Outbound;
  budgets: EndpointBudgets;
  /** Throws SealBroken under another SECRET_KEY. */
  openSecret(sealed: string): SigningKeys;
  records: DeliveryRecords;
  publish: PublishObjects;
  /** Finds one that has not been made. */
  pending(id: number): Promise<Pending | undefined>;
}

/** Makes one delivery, or puts it back when its receiver has enough. One that has been made is left alone. */
export async function sendDelivery(
  tools: DeliveryTools,
  id: number,
  { signal }: Pick<Attempt, 'signal'>,
): Promise<void> {
  const pending = await tools.pending(id);
  if (pending) await deliver(tools, pending, signal);
}

async function deliver(tools: DeliveryTools, pending: Pending, signal: AbortSignal): Promise<void> {
  const { config, clock, outbound, openSecret, budgets, records } = tools;
  const { url, contentType, insecure, appId, guid, event } = pending;
  const at = clock();
  if (url === null || pending.isDisabled)
    return note(tools, pending, { at, result: unsent('the webhook is switched off', 410) });
  const payload = pending.payload ?? (await payloadOf(tools, pending));
  if (typeof payload === 'object') return note(tools, pending, { at, url, result: payload });
  let keys: SigningKeys | undefined;
  try {
    keys = pending.secretSealed === null ? undefined : openSecret(pending.secretSealed);
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    // Never unsigned instead: a receiver could take that for ours, or learn to do without.
    return note(tools, pending, { at, url, result: unsent('the secret was sealed with another SECRET_KEY', 500) });
  }
  const leave = await budgets.enter(appId);
  if ('holdMs' in leave) return records.putBack({ id: pending.id, at: clock(), payload, ms: leave.holdMs });
  const from = performance.now();
  const { headers, body } = deliveryRequest(
    { brand: config.HOST_BRAND, guid, event, appId, contentType, keys, at },
    payload,
  );
  const result = await attemptDelivery(outbound, { url, headers, body, insecure }, signal).finally(() =>
    leave.leave(performance.now() - from),
  );
  // One that was put back has it already.
  const kept = pending.payload === null ? { payload } : {};
  await note(tools, pending, { at, url, headers, result, ...kept });
}

/** The payload, or why there is none. */
async function payloadOf({ publish }: DeliveryTools, pending: Pending): Promise<string | DeliveryResult> {
  try {
    const payload = JSON.stringify(await makePayload({ ...pending, cause: pending.cause ?? {} }, publish));
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

/** Writes down what came of an attempt and, where the app wants that, has a failed one repeated. */
async function note(tools: DeliveryTools, pending: Pending, made: Made): Promise<void> {
  const { database, budgets, records } = tools;
  const record = { ...made, id: pending.id };
  const { statusCode, retryAfter } = made.result;
  const isFailed = statusCode < 200 || statusCode >= 300;
  if (!pending.retries || !isFailed || made.headers === undefined) return records.made(record);
  if ([429, 502, 504].includes(statusCode)) budgets.pause(pending.appId, retryAfter ?? 1_000);
  const ms = statusCode === 410 ? undefined : retryDelay(pending.attempt, retryAfter);
  await inTransaction(database, async db => {
    // Nothing is repeated of what somebody else has written down before.
    if (!(await writeDown(db, [record])).has(pending.id)) return;
    if (statusCode === 410) {
      await sql`update app set webhook_disabled_at = ${made.at} where id = ${pending.appId} and webhook_url = ${pending.url}`.execute(
        db,
      );
    }
    if (ms !== undefined) await repeatDelivery(db, pending.id, made.at, { attempt: pending.attempt + 1, afterMs: ms });
  });
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
