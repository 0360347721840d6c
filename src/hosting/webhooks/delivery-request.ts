import { createHash, createHmac } from 'node:crypto';
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

/**
 * Builds the body and headers of a delivery. The body is signed twice: with the published `X-Hub-Signature` headers and
 * with the Standard Webhooks headers.
 */
export function buildDeliveryRequest(
  options: DeliveryOptions,
  payload: string,
): { headers: Record<string, string>; body: Buffer } {
  const { brand, guid, event, target, contentType, keys, at } = options;
  const body = Buffer.from(contentType === 'form' ? `payload=${encodeFormValue(payload)}` : payload);
  const branded = (name: string): string => brandedHeaderName(brand, 'X-', name);
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
    headers['X-Hub-Signature'] = `sha1=${createHmac('sha1', keys.plain).update(body).digest('hex')}`;
    headers['X-Hub-Signature-256'] = `sha256=${createHmac('sha256', keys.plain).update(body).digest('hex')}`;
    const signed = createHmac('sha256', keys.standard).update(`${guid}.${seconds}.`).update(body);
    headers['webhook-signature'] = `v1,${signed.digest('base64')}`;
  }
  return { headers, body };
}

/**
 * Encodes a value for `application/x-www-form-urlencoded`, which also escapes characters that `encodeURIComponent`
 * leaves.
 */
const encodeFormValue = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()~]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
