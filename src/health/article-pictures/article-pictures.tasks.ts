import { defineHousekeepingJob } from '../../jobs/housekeeping-job.ts';
import type { Task } from '../../jobs/task.ts';
import { fetchDuePictures, type PictureDependencies } from './fetch-pictures.ts';

/** Background job of the pictures of articles. */
export function articlePictureTasks(dependencies: PictureDependencies): Task<never>[] {
  return [
    {
      job: defineHousekeepingJob('article-pictures', 1_800),
      concurrency: 1,
      schedule: '*/2 * * * *',
      work: (_data, { signal }) => fetchDuePictures(dependencies, signal),
    },
  ] satisfies Task<object>[] as Task<never>[];
}
