import { type Kysely, sql } from 'kysely';
import type { Keys } from '../../auth/keys.ts';
import type { PublicOrigin } from '../../config/public-origin.ts';
import { type Clock, contextOfWork } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineJob } from '../../jobs/define-job.ts';
import type { Task } from '../../jobs/run-task.ts';
import { deliveryJob } from './delivery-job.ts';
import { deliveryRecords } from './delivery-records.ts';
import { EndpointBudgets } from './endpoint-budgets.ts';
import { pendingDeliveries } from './pending-deliveries.ts';
import { type DeliveryTools, sendDelivery } from './send-delivery.ts';
import { openedSecrets } from './webhook-secret.ts';

/** Deliveries that one process makes at a time; of them at most four to one receiver. */
const concurrency = 48;

const housekeeping = defineJob<object>({
  name: 'webhook-housekeeping',
  retry: { limit: 5, delaySeconds: 60, backoff: true },
  heartbeatSeconds: 30,
  timeoutSeconds: 1800,
  retentionDays: 7,
});

/** How long deliveries can be looked at, and how many are forgotten by one statement. */
const kept = 30 * 24 * 60 * 60_000;
const forgotten = 1_000;

/** Forgets what is too old, in parts, so that no statement holds many rows for long. Returns how many are gone. */
export async function forgetDeliveries(
  transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => Promise<T>,
  now: Date,
): Promise<number> {
  const before = new Date(now.getTime() - kept);
  for (let gone = 0; ; ) {
    const { rows } = await transaction(db =>
      sql`delete from webhook_delivery where id in (
        select id from webhook_delivery where created_at < ${before} order by created_at limit ${forgotten}) returning id`.execute(
        db,
      ),
    );
    gone += rows.length;
    if (rows.length < forgotten) return gone;
  }
}

export interface WebhookTools extends Omit<DeliveryTools, 'budgets' | 'openSecret' | 'records' | 'pending'> {
  keys: Keys;
  publicOrigin: PublicOrigin;
}

/** What webhooks have done outside of requests. */
export function webhookTasks(tools: WebhookTools): Task<never>[] {
  const all: DeliveryTools = {
    ...tools,
    budgets: new EndpointBudgets(),
    openSecret: openedSecrets(tools.keys),
    records: deliveryRecords(tools.database),
    pending: pendingDeliveries(tools.database, actor => contextOfWork(tools, actor)),
  };
  const { database, clock }: { database: Database; clock: Clock } = tools;
  return [
    {
      job: deliveryJob,
      concurrency,
      work: ({ id }: { id: number }, attempt: { signal: AbortSignal }) => sendDelivery(all, id, attempt),
    },
    {
      job: housekeeping,
      concurrency: 1,
      schedule: '29 * * * *',
      work: async () => {
        await forgetDeliveries(work => inTransaction(database, work), clock());
      },
    },
  ] as Task<never>[];
}
