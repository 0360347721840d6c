import { openReadPool } from '../db/open-read-pool.ts';
import { serveWork } from '../workers/serve-work.ts';
import { computations } from './computations.ts';

/** Program of the child processes for heavy work. */
serveWork(computations, start => ({ read: openReadPool(start) }));
