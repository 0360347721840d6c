import { createHash, createHmac } from 'node:crypto';
import { brandedHeaderName } from '../../auth/brand-header.ts';
import type { WebhookSigningKeys } from './webhook-secret.ts';

/** What a delivery says in its headers. */
export interface DeliveryOptions {
  brand: string;
  guid: string;
  event: string;
  /** Of the hook, and of what it belongs to: both the app. */
  appId: number;
  contentType: 'json' | 'form';
  /** Undefined: deliveries are not signed. */
  keys: WebhookSigningKeys | undefined;
  at: Date;
}

/** Seven digits that stand for what deliveries look like: others when their form changes. */
const formatVersion = createHash('sha256').update('deliveries, form 1').digest('hex').slice(0, 7);

/** The body of a delivery and its headers, signed twice over: in the published way, and as Standard Webhooks ask. */
export function buildDeliveryRequest(
  options: DeliveryOptions,
  payload: string,
): { headers: Record<string, string>; body: Buffer } {
  const { brand, guid, event, appId, contentType, keys, at } = options;
  const body = Buffer.from(contentType === 'form' ? `payload=${encodeFormValue(payload)}` : payload);
  const branded = (name: string): string => brandedHeaderName(brand, 'X-', name);
  const headers: Record<string, string> = {
    Accept: '*/*',
    'Content-Type': contentType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
    'User-Agent': `${brandedHeaderName(brand, '', 'Hookshot')}/${formatVersion}`,
    [branded('Delivery')]: guid,
    [branded('Event')]: event,
    [branded('Hook-ID')]: String(appId),
    [branded('Hook-Installation-Target-ID')]: String(appId),
    [branded('Hook-Installation-Target-Type')]: 'integration',
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

/** As forms are: what `encodeURIComponent` leaves alone and forms do not, encoded as well. */
const encodeFormValue = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()~]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
