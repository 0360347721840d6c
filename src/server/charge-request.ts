import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../auth/actor.ts';
import type { AdmittedRequest, ChargeableCost, RefusedRequest } from '../limits/admitted-request.ts';
import type { CallerQuota } from '../limits/caller-quotas.ts';
import { type EntryPoint, entryPoints } from '../limits/entry-points.ts';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { RequestUsage } from '../limits/request-usage.ts';
import { countBytes } from './count-bytes.ts';

/** Parameters of one charged request: what differs from one entry point to another. */
export interface RequestCharge {
  entryPoint: EntryPoint;
  /** Who is charged. */
  actor: Actor;
  /** The primary window and its cost for this caller; undefined if there is none. */
  primary(quota: CallerQuota): ChargeableCost['primary'];
  /** The error to respond with if a limit is exceeded. */
  toError(refused: RefusedRequest): Error;
  /** See `RequestCost`; '' by default. */
  endpoint?: string;
  /** 0 by default. */
  points?: number;
  /** 0 by default. */
  content?: number;
  /** Charged every second and when the request is released; by default nothing but CPU time. */
  usage?: RequestUsage;
  /** Its bytes are added to `usage`. */
  connection?: { request: IncomingMessage; response: ServerResponse };
  /** How long to wait for a slot of the caller, in milliseconds; by default not at all. */
  slotWait?: { maxMs: number; everyMs: number };
}

/**
 * Charges and admits one request, at every entry point. The caller must release it: see `releaseOnClose`.
 *
 * @throws what `toError` returns if a limit is exceeded; then nothing is charged
 */
export async function chargeRequest(
  limiter: RateLimiter,
  {
    entryPoint,
    actor,
    primary,
    toError,
    endpoint = '',
    points = 0,
    content = 0,
    usage,
    connection,
    slotWait,
  }: RequestCharge,
): Promise<{ admitted: AdmittedRequest; quota: CallerQuota }> {
  const quota = await limiter.quotaOf(actor);
  const used = usage ?? new RequestUsage();
  const cost = { entryPoint, endpoint, points, content, primary: primary(quota) };
  const admit = () => limiter.admit(quota, cost, used);
  let admitted = await admit();
  for (let waitedMs = 0; slotWait && waitedMs < slotWait.maxMs; waitedMs += slotWait.everyMs) {
    if (!('refused' in admitted) || !admitted.lacksSlot || connection?.response.destroyed) break;
    await delay(slotWait.everyMs);
    admitted = await admit();
  }
  if ('refused' in admitted) throw toError(admitted);
  if (connection) countBytes(connection.request, connection.response, used);
  if (connection && entryPoints[entryPoint].sharesCpu === 'until-headers')
    waitFromHeaders(connection.response, admitted);
  return { admitted, quota };
}

/** From the first byte of the response on, the request waits for its client or for others. */
function waitFromHeaders(response: ServerResponse, admitted: AdmittedRequest): void {
  const { writeHead } = response;
  response.writeHead = function (this: ServerResponse, ...head: unknown[]) {
    admitted.wait();
    // biome-ignore lint/plugin/spread-arguments: at most three arguments, those of `writeHead`
    return writeHead.apply(this, head as never) as ServerResponse;
  } as ServerResponse['writeHead'];
}

/** Calls `release` when the response has ended or its connection is closed, also if the client has already left. */
export function releaseOnClose(response: ServerResponse, release: () => void): void {
  if (response.destroyed) release();
  else response.once('close', release);
}
