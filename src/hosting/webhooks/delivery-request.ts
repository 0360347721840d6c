import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import { brandedHeaderName } from '../../auth/brand-header.ts';
import type { WebhookSigningKeys } from './webhook-secret.ts';

/** What a delivery is for, as its headers say. */
export interface DeliveryTarget {
  /** Id of the hook; of an app, its own id. */
  hookId: number;
  kind: 'integration' | 'repository' | 'organization';
  /** Id of the app, the repository or the organization. */
  id: number;
}

/** Input for the headers of a delivery. */
export interface DeliveryOptions {
  brand: string;
  guid: string;
  event: string;
  target: DeliveryTarget;
  contentType: 'json' | 'form';
  /** Undefined for an unsigned delivery. */
  keys: WebhookSigningKeys | undefined;
  at: Date;
}

/** Seven hex digits that identify the format version of deliveries. Change the input when the format changes. */
const formatVersion = createHash('sha256').update('deliveries, form 1').digest('hex').slice(0, 7);

/** What is signed, and what is encoded as a form, in one turn of the event loop: some ms. */
const signedBytesPerTurn = 1024 * 1024;
const encodedCharsPerTurn = 32 * 1024;

/**
 * Builds the body and headers of a delivery, in turns of the event loop: 25 MB as a form, signed three times, take half a second. The body is signed twice: with the published `X-Hub-Signature` headers and
 * with the Standard Webhooks headers.
 */
export async function buildDeliveryRequest(
  options: DeliveryOptions,
  payload: string,
): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const { brand, guid, event, target, contentType, keys, at } = options;
  const body =
    contentType === 'form'
      ? Buffer.concat([Buffer.from('payload='), ...(await encodeFormValue(payload))])
      : Buffer.from(payload);
  const branded = (name: string): string => brandedHeaderName(brand, 'X-', name);
  // biome-ignore lint/plugin/word-tables: built and sent
  const headers: Record<string, string> = {
    Accept: '*/*',
    'Content-Type': contentType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
    'User-Agent': `${brandedHeaderName(brand, '', 'Hookshot')}/${formatVersion}`,
    [branded('Delivery')]: guid,
    [branded('Event')]: event,
    [branded('Hook-ID')]: String(target.hookId),
    [branded('Hook-Installation-Target-ID')]: String(target.id),
    [branded('Hook-Installation-Target-Type')]: target.kind,
  };
  const seconds = String(Math.floor(at.getTime() / 1000));
  Object.assign(headers, { 'webhook-id': guid, 'webhook-timestamp': seconds });
  if (keys !== undefined) {
    headers['X-Hub-Signature'] = `sha1=${(await sign('sha1', keys.plain, body)).toString('hex')}`;
    headers['X-Hub-Signature-256'] = `sha256=${(await sign('sha256', keys.plain, body)).toString('hex')}`;
    const signed = await sign('sha256', keys.standard, body, `${guid}.${seconds}.`);
    headers['webhook-signature'] = `v1,${signed.toString('base64')}`;
  }
  return { headers, body };
}

async function sign(algorithm: string, key: KeyObject, body: Buffer, before = ''): Promise<Buffer> {
  const signature = createHmac(algorithm, key).update(before);
  for (let at = 0; at < body.length; at += signedBytesPerTurn) {
    if (at > 0) await nextEventLoopTurn();
    signature.update(body.subarray(at, at + signedBytesPerTurn));
  }
  return signature.digest();
}

/**
 * Encodes a value for `application/x-www-form-urlencoded`, which also escapes characters that `encodeURIComponent`
 * leaves. In bytes: V8 would put joined pieces of text together in one slice.
 */
async function encodeFormValue(value: string): Promise<Buffer[]> {
  const text = value.toWellFormed();
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    if (at > 0) await nextEventLoopTurn();
    const end = at + encodedCharsPerTurn;
    // A surrogate pair is not divided.
    const next = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end + 1 : end;
    const piece = encodeURIComponent(text.slice(at, next));
    pieces.push(Buffer.from(piece.replace(/[!'()~]/g, one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)));
    at = next;
  }
  return pieces;
}
