import { defineJob, type JobType } from './define-job.ts';

/**
 * Defines a scheduled maintenance job without data: five retries from one minute on, so that it survives a short database
 * outage before its next run. `timeoutSeconds` limits one attempt.
 */
export function defineHousekeepingJob(name: string, timeoutSeconds = 600): JobType<object> {
  return defineJob<object>({
    name,
    retry: { limit: 5, delaySeconds: 60, backoff: true },
    heartbeatSeconds: 30,
    timeoutSeconds,
    retentionDays: 7,
  });
}
