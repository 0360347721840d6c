import { defineJob } from '../../jobs/define-job.ts';

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
