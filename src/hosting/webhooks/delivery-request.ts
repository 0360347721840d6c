import { createHash, createHmac } from 'node:crypto';
import { brandHeader } from '../../auth/brand-header.ts';

/** What a delivery says in its headers. */
export interface DeliveryFacts {
  brand: string;
  guid: string;
  event: string;
  /** Of the hook, and of what it belongs to: both the app. */
  appId: number;
  contentType: 'json' | 'form';
  /** Undefined: deliveries are not signed. */
  secret: string | undefined;
  at: Date;
}

/** Seven digits that stand for what deliveries look like: others when their form changes. */
const form = createHash('sha256').update('deliveries, form 1').digest('hex').slice(0, 7);

/** The body of a delivery and its headers, signed twice over: in the published way, and as Standard Webhooks ask. */
export function deliveryRequest(
  facts: DeliveryFacts,
  payload: string,
): { headers: Record<string, string>; body: Buffer } {
  const { brand, guid, event, appId, contentType, secret, at } = facts;
  const body = Buffer.from(contentType === 'form' ? `payload=${formEncoded(payload)}` : payload);
  const own = (name: string): string => brandHeader(brand, 'X-', name);
  const headers: Record<string, string> = {
    Accept: '*/*',
    'Content-Type': contentType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
    'User-Agent': `${brandHeader(brand, '', 'Hookshot')}/${form}`,
    [own('Delivery')]: guid,
    [own('Event')]: event,
    [own('Hook-ID')]: String(appId),
    [own('Hook-Installation-Target-ID')]: String(appId),
    [own('Hook-Installation-Target-Type')]: 'integration',
  };
  const seconds = String(Math.floor(at.getTime() / 1000));
  Object.assign(headers, { 'webhook-id': guid, 'webhook-timestamp': seconds });
  if (secret !== undefined) {
    headers['X-Hub-Signature'] = `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`;
    headers['X-Hub-Signature-256'] = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const signed = createHmac('sha256', standardKey(secret)).update(`${guid}.${seconds}.`).update(body);
    headers['webhook-signature'] = `v1,${signed.digest('base64')}`;
  }
  return { headers, body };
}

/** Such secrets are written with a prefix and base64; others are taken as they are. */
function standardKey(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
}

/** As forms are: what `encodeURIComponent` leaves alone and forms do not, encoded as well. */
const formEncoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()~]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
