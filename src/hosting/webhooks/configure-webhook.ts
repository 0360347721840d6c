import { sql } from 'kysely';
import type { App } from '../../../schema/hosting/app.ts';
import type { Context } from '../../context/context.ts';
import { notFound, validationFailed } from '../../errors/errors.ts';
import { zenOf } from '../meta/zen.ts';
import type { JsonValue } from './hook-event.ts';
import { formatPayloadTime } from './payload-time.ts';
import { eventMetadata, recordHookEvent } from './record-hook-event.ts';
import { secretProblems, urlProblems } from './webhook-problems.ts';
import { sealSecret, secretMask } from './webhook-secret.ts';

/** Webhook settings to change. Omitted settings keep their value. */
export interface WebhookSettings {
  /** Null disables the webhook. */
  url?: string | null | undefined;
  contentType?: 'json' | 'form' | null | undefined;
  /** Null or empty removes the secret; the mask keeps it. */
  secret?: string | null | undefined;
  insecureSsl?: boolean | null | undefined;
  /** Whether failed deliveries are retried. */
  retries?: boolean | null | undefined;
}

/**
 * Updates the webhook of an app and enables it again. A new URL receives a `ping` event.
 *
 * @throws 422 for an invalid URL or secret; 404 when the app does not exist.
 */
export async function configureWebhook(
  context: Pick<Context, 'config' | 'keys' | 'now' | 'transaction' | 'publicOrigin' | 'actor'>,
  appId: number,
  settings: WebhookSettings,
): Promise<void> {
  const { url, contentType, secret, insecureSsl, retries } = settings;
  const problems = [...urlProblems(context, url), ...secretProblems(secret)];
  if (problems.length > 0) throw validationFailed(problems);
  const keepsSecret = secret === undefined || secret === secretMask;
  const sealed = keepsSecret || !secret ? null : sealSecret(context.keys, secret);
  const now = context.now();
  await context.transaction(async db => {
    const updated = await sql<ConfiguredRow>`
      with before as (select id, webhook_url from app where id = ${appId} for update)
      update app set
        webhook_url = case when ${url !== undefined} then ${url ?? null} else app.webhook_url end,
        webhook_content_type = coalesce(${contentType ?? null}, webhook_content_type),
        webhook_secret_sealed = case when ${keepsSecret} then webhook_secret_sealed else ${sealed} end,
        webhook_insecure_ssl = coalesce(${insecureSsl ?? null}, webhook_insecure_ssl),
        webhook_retries = coalesce(${retries ?? null}, webhook_retries),
        webhook_disabled_at = null, webhook_timeouts = 0, webhook_paused_until = null, updated_at = ${now}
      from before where app.id = before.id
      returning before.webhook_url as before, app.webhook_url as "webhookUrl", app.webhook_content_type as "webhookContentType",
        app.webhook_secret_sealed is not null as "hasSecret", app.webhook_insecure_ssl as "webhookInsecureSsl", app.events,
        to_json(app.created_at) #>> '{}' as "createdAt"`.execute(db);
    const [row] = updated.rows;
    if (!row) throw notFound();
    if (row.webhookUrl === null || row.webhookUrl === row.before) return;
    const own = { zen: zenOf(appId), hook_id: appId, hook: hookPayload(context, appId, row, now) };
    await recordHookEvent(db, { ...eventMetadata(context), event: 'ping', appId, own });
  });
}

type ConfiguredRow = Pick<App, 'webhookUrl' | 'webhookContentType' | 'webhookInsecureSsl' | 'events' | 'createdAt'> & {
  /** The URL before the change. */
  before: App['webhookUrl'];
  hasSecret: boolean;
};

/** The webhook of an app, in its published payload form. */
function hookPayload(
  { publicOrigin }: Pick<Context, 'publicOrigin'>,
  appId: number,
  row: ConfiguredRow,
  now: Date,
): JsonValue {
  return {
    type: 'App',
    id: appId,
    name: 'web',
    active: true,
    events: row.events,
    config: {
      url: row.webhookUrl,
      content_type: row.webhookContentType,
      ...(row.hasSecret ? { secret: secretMask } : {}),
      insecure_ssl: row.webhookInsecureSsl ? '1' : '0',
    },
    app_id: appId,
    created_at: formatPayloadTime(new Date(row.createdAt)),
    updated_at: formatPayloadTime(now),
    deliveries_url: `${publicOrigin}/api/v3/app/hook/deliveries`,
  };
}
