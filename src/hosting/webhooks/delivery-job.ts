import { defineJob } from '../../jobs/define-job.ts';

/**
 * Sends one delivery. What the receiver does is no failure of the job: it is written down, and that is that. Tried again
 * are only defects of ours and a database that is away.
 */
export const deliveryJob = defineJob<{ id: number }>({
  name: 'webhook-delivery',
  retry: { limit: 10, delaySeconds: 2, backoff: true, maxDelaySeconds: 600 },
  heartbeatSeconds: 10,
  timeoutSeconds: 60,
  retentionDays: 1,
});
