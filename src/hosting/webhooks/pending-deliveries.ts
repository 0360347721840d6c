import DataLoader from 'dataloader';
import { sql } from 'kysely';
import type { App } from '../../../schema/hosting/app.ts';
import type { Installation } from '../../../schema/hosting/installation.ts';
import type { WebhookDelivery } from '../../../schema/hosting/webhook.ts';
import type { Database } from '../../db/database.ts';
import { type HookRepository, type PayloadContext, recipientActor } from './build-payload.ts';
import type { HookEventData } from './hook-event.ts';
import { type ContextFactory, payloadContexts } from './payload-contexts.ts';

type DeliveryColumns = Pick<
  WebhookDelivery,
  'id' | 'appId' | 'guid' | 'event' | 'action' | 'installationId' | 'repositoryId' | 'payload' | 'attempt'
>;
type AppColumns = Pick<
  App,
  'webhookUrl' | 'webhookContentType' | 'webhookSecretSealed' | 'webhookInsecureSsl' | 'webhookRetries'
>;
/** Null for deliveries without an installation. */
type InstallationColumns = {
  [Name in 'accountId' | 'repositorySelection' | 'permissions']: Installation[Name] | null;
};

type PendingRow = DeliveryColumns &
  AppColumns &
  InstallationColumns & {
    cause: HookEventData | null;
    isDisabled: boolean;
    /** The repository of the event; null when it has none. */
    hookRepository: HookRepository | null;
  };

/** An unsent delivery with the configuration of its receiver. */
export type PendingDelivery = PendingRow & {
  /** Context for building the payload. */
  context: PayloadContext;
  /** Payload parts that are equal for all recipients, by event GUID. Shared by deliveries that are loaded together. */
  sharedParts: Map<string, Promise<object>>;
};

/**
 * Returns a loader of unsent deliveries by id. It resolves to undefined when the delivery was sent or deleted. Ids
 * requested in the same event loop turn are loaded with one statement and share payload contexts, so repositories and
 * accounts are also loaded once. Nothing is cached beyond that batch.
 */
export function pendingDeliveryLoader(
  { read }: Pick<Database, 'read'>,
  createContext: ContextFactory,
): (id: number) => Promise<PendingDelivery | undefined> {
  const loader = new DataLoader<number, PendingDelivery | undefined>(
    async ids => {
      const rows = await read(pendingRows(ids));
      const sharedParts = new Map<string, Promise<object>>();
      const contexts = payloadContexts(createContext);
      const contextOf = (row: PendingRow): PayloadContext =>
        contexts(`${row.appId} ${row.installationId}`, payloadActor(row));
      const found = new Map(rows.map(row => [row.id, { ...row, context: contextOf(row), sharedParts }]));
      return ids.map(id => found.get(id));
    },
    { cache: false },
  );
  return id => loader.load(id);
}

const pendingRows = (ids: readonly number[]) => sql<PendingRow>`
  select d.id, d.app_id as "appId", d.guid, d.event, d.action, d.installation_id as "installationId",
    d.repository_id as "repositoryId", d.cause, d.payload, d.attempt, a.webhook_url as "webhookUrl",
    a.webhook_content_type as "webhookContentType", a.webhook_secret_sealed as "webhookSecretSealed",
    a.webhook_insecure_ssl as "webhookInsecureSsl", a.webhook_retries as "webhookRetries",
    a.webhook_disabled_at is not null as "isDisabled", i.account_id as "accountId", i.repository_selection as "repositorySelection", i.permissions,
    case when r.id is not null then json_build_object('databaseId', r.id, 'name', r.name, 'networkRootId', r.network_root_id,
      'ownerId', o.id, 'ownerLogin', o.login, 'ownerKind', o.kind) end as "hookRepository"
  from webhook_delivery d join app a on a.id = d.app_id left join installation i on i.id = d.installation_id
  left join repository r on r.id = d.repository_id left join account o on o.id = r.owner_id
  where d.id = any(${[...ids]}::bigint[]) and d.delivered_at is null`;

function payloadActor({
  installationId,
  accountId,
  repositorySelection,
  permissions,
  appId,
}: PendingRow): PayloadContext['actor'] {
  if (installationId === null || accountId === null || repositorySelection === null)
    return { kind: 'app', ip: '', appId };
  return recipientActor({
    databaseId: installationId,
    appId,
    accountId,
    repositorySelection,
    permissions: permissions ?? {},
  });
}
