import DataLoader from 'dataloader';
import { sql } from 'kysely';
import type { App } from '../../../schema/hosting/app.ts';
import type { Installation } from '../../../schema/hosting/installation.ts';
import type { WebhookDelivery } from '../../../schema/hosting/webhook.ts';
import type { Database } from '../../db/database.ts';
import { type HookRepository, hookActor, type PayloadContext, recipientActor } from './build-payload.ts';
import type { DeliveryTarget } from './delivery-request.ts';
import type { HookEventData } from './hook-event.ts';
import { type ContextFactory, payloadContexts } from './payload-contexts.ts';

type DeliveryColumns = Pick<
  WebhookDelivery,
  | 'id'
  | 'appId'
  | 'hookId'
  | 'guid'
  | 'event'
  | 'action'
  | 'installationId'
  | 'repositoryId'
  | 'payload'
  | 'attempt'
  | 'redelivery'
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
    /** Of the app or of the source of the hook; null when that was deleted meanwhile. */
    receiverOwnerId: number | null;
    /** Deliveries in a row that the receiver did not answer in time. */
    timeouts: number;
    /** ISO 8601; null for a receiver that is not paused. */
    pausedUntil: string | null;
    createdAt: string;
    targetKind: DeliveryTarget['kind'];
    /** Id of the app, or of the source of the hook. */
    targetId: number;
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
      const contextOf = (row: PendingRow): PayloadContext => contexts(contextKey(row), payloadActor(row));
      const found = new Map(rows.map(row => [row.id, { ...row, context: contextOf(row), sharedParts }]));
      return ids.map(id => found.get(id));
    },
    { cache: false },
  );
  return id => loader.load(id);
}

const pendingRows = (ids: readonly number[]) => sql<PendingRow>`
  select d.id, d.app_id as "appId", d.hook_id as "hookId", d.guid, d.event, d.action, d.installation_id as "installationId",
    d.repository_id as "repositoryId", d.cause, d.payload, d.attempt, d.redelivery,
    coalesce(a.webhook_url, h.url) as "webhookUrl",
    coalesce(a.webhook_content_type, h.content_type) as "webhookContentType",
    coalesce(a.webhook_secret_sealed, h.secret_sealed) as "webhookSecretSealed",
    coalesce(a.webhook_insecure_ssl, h.insecure_ssl) as "webhookInsecureSsl",
    coalesce(a.webhook_retries, false) as "webhookRetries",
    case when h.id is null then a.webhook_disabled_at is not null else not h.is_active and d.event <> 'ping' end as "isDisabled",
    coalesce(a.owner_id, h.organization_id, (select owner_id from repository where id = h.repository_id)) as "receiverOwnerId",
    coalesce(a.webhook_timeouts, h.timeouts) as timeouts, to_json(d.created_at) #>> '{}' as "createdAt",
    to_json(coalesce(a.webhook_paused_until, h.paused_until)) #>> '{}' as "pausedUntil",
    case when h.id is null then 'integration' when h.repository_id is null then 'organization' else 'repository' end as "targetKind",
    coalesce(a.id, h.repository_id, h.organization_id) as "targetId", i.account_id as "accountId", i.repository_selection as "repositorySelection", i.permissions,
    case when r.id is not null then json_build_object('databaseId', r.id, 'name', r.name, 'networkRootId', r.network_root_id,
      'ownerId', o.id, 'ownerLogin', o.login, 'ownerKind', o.kind) end as "hookRepository"
  from webhook_delivery d left join app a on a.id = d.app_id left join hook h on h.id = d.hook_id
  left join installation i on i.id = d.installation_id
  left join repository r on r.id = d.repository_id and (h.organization_id is null or r.owner_id = h.organization_id)
  left join account o on o.id = r.owner_id
  where d.id = any(${[...ids]}::bigint[]) and d.delivered_at is null`;

/** A hook sees one repository: that of the event. Apps see those of an installation. */
const contextKey = ({ appId, installationId, repositoryId }: PendingRow): string =>
  appId === null ? `repository ${repositoryId}` : `${appId} ${installationId}`;

function payloadActor({
  installationId,
  accountId,
  repositorySelection,
  permissions,
  appId,
  repositoryId,
}: PendingRow): PayloadContext['actor'] {
  if (appId === null) return hookActor(repositoryId);
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
