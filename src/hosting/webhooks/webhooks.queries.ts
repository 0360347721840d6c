import { sql } from 'kysely';
import type { Webhook } from '../../../schema/hosting/webhook.ts';
import type { Actor } from '../../auth/actor.ts';
import type { Context } from '../../context/context.ts';
import { notFound } from '../../errors/errors.ts';
import { managesApp } from '../apps/managed-apps.queries.ts';
import { type AppGrants, appGrants, assertCoversApp } from '../apps/owned-app.ts';
import { secretMask } from './webhook-secret.ts';

/** A webhook, with the number of its app. */
export type WebhookRow = Webhook & { appId: number };

/**
 * DataLoader batch function: webhooks by app; null for apps that the caller neither is nor manages, and an error where the caller's
 * credential does not cover the permissions of the app. Deliveries contain what the app received, including data of private
 * repositories.
 */
export async function webhooksByApps(
  context: Pick<Context, 'actor' | 'read'>,
  ids: readonly number[],
): Promise<(WebhookRow | null | Error)[]> {
  const { actor } = context;
  const found = await context.read(sql<WebhookRow & AppGrants>`
    select a.id as "appId", a.webhook_url as url, a.webhook_content_type as "contentType",
      a.webhook_secret_sealed is not null as "hasSecret",
      case when a.webhook_secret_sealed is not null then ${secretMask} end as "secretMask",
      not a.webhook_insecure_ssl as "isTlsVerified", a.webhook_insecure_ssl as "insecureSsl",
      a.webhook_retries as "isRetried", a.webhook_disabled_at as "disabledAt", a.webhook_paused_until as "pausedUntil"${actor.kind === 'app' ? sql`` : sql`, ${appGrants}`}
    from app a where a.id = any(${[...ids]}::bigint[]) and ${managesApp(context)}`);
  const byId = new Map(found.map(row => [row.appId, actor.kind === 'app' ? row : orRefused(actor, row)]));
  return ids.map(id => byId.get(id) ?? null);
}

function orRefused(actor: Actor, row: WebhookRow & AppGrants): WebhookRow | Error {
  try {
    assertCoversApp(actor, row);
    return row;
  } catch (error) {
    return error as Error;
  }
}

/** The webhook of an app that the caller has been found to control, after a write. */
export async function requireWebhook(context: Context, appId: number): Promise<WebhookRow> {
  const [found] = await webhooksByApps(context, [appId]);
  if (found === undefined || found === null) throw notFound();
  if (found instanceof Error) throw found;
  return found;
}
