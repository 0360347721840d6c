import { openJobPool } from '../db/open-job-pool.ts';
import { serveWork } from '../workers/serve-work.ts';
import { longTasks } from './long-tasks.ts';

/** Program of the child processes for long tasks of jobs. */
serveWork(longTasks, start => ({ pool: openJobPool(start) }));
