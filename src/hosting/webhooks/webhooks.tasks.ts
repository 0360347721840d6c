import { type Kysely, sql } from 'kysely';
import type { DerivedKeys } from '../../auth/derived-keys.ts';
import type { PublicOrigin } from '../../config/public-origin.ts';
import { type Clock, createBackgroundContext } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import type { IsolatedWork } from '../../workers/isolated-work.ts';
import { deliveryJob } from './delivery-job.ts';
import { deliveryWriter } from './delivery-writer.ts';
import { EndpointLimiter } from './endpoint-limiter.ts';
import { pendingDeliveryLoader } from './pending-deliveries.ts';
import { type DeliveryDependencies, sendDelivery } from './send-delivery.ts';
import { secretOpener } from './webhook-secret.ts';

/** Concurrent deliveries of one process, of which `EndpointLimiter` allows four per receiver. */
const deliveryConcurrency = 48;

const housekeepingJob = defineHousekeepingJob('webhook-housekeeping', 1_800);

/** Retention of deliveries, and rows deleted per statement. */
const retentionMs = 30 * 24 * 60 * 60_000;
const deleteBatchSize = 1_000;

/**
 * Deletes expired deliveries in batches, so that no transaction holds many row locks. Returns the number of deleted
 * rows.
 */
export async function deleteOldDeliveries(
  transaction: <T>(work: (db: Kysely<unknown>) => Promise<T>) => Promise<T>,
  now: Date,
): Promise<number> {
  const before = new Date(now.getTime() - retentionMs);
  for (let deleted = 0; ; ) {
    const { rows } = await transaction(db =>
      sql`delete from webhook_delivery where id in (
        select id from webhook_delivery where created_at < ${before} order by created_at limit ${deleteBatchSize}) returning id`.execute(
        db,
      ),
    );
    deleted += rows.length;
    if (rows.length < deleteBatchSize) return deleted;
  }
}

export interface WebhookDependencies
  extends Omit<DeliveryDependencies, 'limiter' | 'openSecret' | 'writer' | 'findPending'> {
  keys: DerivedKeys;
  publicOrigin: PublicOrigin;
  isolatedWork?: IsolatedWork | undefined;
}

/** Background tasks of webhooks. */
export function webhookTasks(dependencies: WebhookDependencies): Task<never>[] {
  const deliveryDependencies: DeliveryDependencies = {
    ...dependencies,
    limiter: new EndpointLimiter(),
    openSecret: secretOpener(dependencies.keys),
    writer: deliveryWriter(dependencies.database),
    findPending: pendingDeliveryLoader(dependencies.database, actor => createBackgroundContext(dependencies, actor)),
  };
  const { database, clock }: { database: Database; clock: Clock } = dependencies;
  return [
    {
      job: deliveryJob,
      concurrency: deliveryConcurrency,
      work: ({ id }: { id: number }, attempt: { signal: AbortSignal }) =>
        sendDelivery(deliveryDependencies, id, attempt),
    },
    {
      job: housekeepingJob,
      concurrency: 1,
      schedule: '29 * * * *',
      work: async () => {
        await deleteOldDeliveries(work => inTransaction(database, work), clock());
      },
    },
  ] as Task<never>[];
}
