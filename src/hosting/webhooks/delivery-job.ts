import type { Kysely } from 'kysely';
import { defineJob } from '../../jobs/define-job.ts';
import { enqueueAll } from '../../jobs/enqueue.ts';
import { postponedPriority } from './delivery-priority.ts';

/**
 * Sends one delivery. A failing receiver does not fail the job: the failure is the delivery's recorded result. pg-boss
 * retries the job only after our own defects, lost workers and database outages.
 */
export const deliveryJob = defineJob<{ id: number }>({
  name: 'webhook-delivery',
  retry: { limit: 10, delaySeconds: 2, backoff: true, maxDelaySeconds: 600 },
  heartbeatSeconds: 10,
  timeoutSeconds: 60,
  retentionDays: 1,
});

/**
 * Schedules deliveries, at once or after a delay: new ones, retries and postponed ones. `priority`: see `DeliveryPriorities`; by default 0,
 * and after a delay that of postponed ones. `db` is the caller's transaction. One statement, and none without deliveries.
 */
export async function enqueueDeliveries(
  db: Kysely<unknown>,
  deliveries: readonly { id: number; delayMs?: number; priority?: number }[],
): Promise<void> {
  // pg-boss uses the system clock, not the application's clock.
  const now = Date.now();
  const jobs = deliveries.map(({ id, delayMs, priority = delayMs === undefined ? 0 : postponedPriority }) => ({
    data: { id },
    priority,
    ...(delayMs === undefined ? {} : { startAfter: new Date(now + delayMs) }),
  }));
  await enqueueAll(db, deliveryJob, jobs);
}
