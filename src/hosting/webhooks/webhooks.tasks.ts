import { sql } from 'kysely';
import type { DerivedKeys } from '../../auth/derived-keys.ts';
import type { PublicOrigin } from '../../config/public-origin.ts';
import { type Clock, createBackgroundContext } from '../../context/context.ts';
import { type Database, inTransaction } from '../../db/database.ts';
import { deleteRows, runInBatches, type Transact } from '../../db/row-batches.ts';
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

/** Retention of deliveries. */
const retentionMs = 30 * 24 * 60 * 60_000;

/** Deletes expired deliveries in batches. Returns their number. */
export function deleteOldDeliveries(transaction: Transact, now: Date, signal?: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - retentionMs);
  return runInBatches(
    transaction,
    (db, limit) => deleteRows(db, 'webhook_delivery', sql`created_at < ${before}`, limit),
    signal,
  );
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
      work: async (_data: object, { signal }: { signal: AbortSignal }) => {
        await deleteOldDeliveries(work => inTransaction(database, work), clock(), signal);
      },
    },
  ] as Task<never>[];
}
