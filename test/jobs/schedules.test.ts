import { expect, test } from '@jest/globals';
import { defineJob } from '../../src/jobs/define-job.ts';
import { enqueue } from '../../src/jobs/enqueue.ts';
import { intervalOf } from '../../src/jobs/schedules.ts';
import type { Task } from '../../src/jobs/task.ts';
import { jobHarness, until } from './job-harness.ts';

const job = defineJob<{ fails?: boolean }>({
  name: 'nightly',
  retry: { limit: 0, delaySeconds: 1, backoff: false },
  heartbeatSeconds: 10,
});
const bench = await jobHarness(job);
const task = {
  job,
  concurrency: 1,
  schedule: '17 3 * * *',
  async work({ fails }: { fails?: boolean }) {
    if (fails) throw new Error('it fails');
  },
} as Task<never>;

const successAt = async (): Promise<number> =>
  Number(
    (await bench.query("select extract(epoch from at) as at from jobs.schedule_success where queue = 'nightly'"))[0]
      ?.at,
  );
const run = async (data: { fails?: boolean }, state: string): Promise<void> => {
  await bench.query('delete from jobs.job');
  await bench.inTransaction(db => enqueue(db, job, data));
  await until(`it is ${state}`, async () => (await bench.rows())[0]?.state === state);
};

test('a schedule counts as successful from its first start, and then when its task succeeds', async () => {
  await bench.start({ tasks: [task] });
  expect(await bench.query('select queue, interval_seconds from jobs.schedule_success')).toEqual([
    { queue: 'nightly', interval_seconds: 86_400 },
  ]);
  await bench.query("update jobs.schedule_success set at = '2026-01-01'");
  const before = await successAt();
  await run({ fails: true }, 'failed');
  expect(await successAt()).toBe(before);
  await run({}, 'completed');
  await until('the success is recorded', async () => (await successAt()) > before);
});

test.each([
  ['* * * * *', 60],
  ['*/10 * * * *', 600],
  ['7 * * * *', 3_600],
  ['17 3 * * *', 86_400],
])('%s is every %d seconds', (cron, seconds) => {
  expect(intervalOf(cron)).toBe(seconds);
});
