import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import type { Feed } from '../articles/read-feed.ts';
import type { FeedBytes } from './read-feed-worker.ts';

/** 2 MB of a feed take a second. */
const readTask: WorkerTask<FeedBytes, Feed | { problem: string }> = {
  name: 'feeds',
  program: programBeside(import.meta.url, 'read-feed-worker'),
  deadlineMs: 30_000,
  maxQueued: 10,
  maxQueuedPerKey: 10,
  maxQueueMs: 60_000,
};

/** Reads a feed on a worker thread: its size is up to the publisher. `problem`: a sentence without its full stop. */
export async function readFeedApart(feed: FeedBytes): Promise<Feed | { problem: string }> {
  const outcome = await workerPool.run(readTask, feed);
  if (outcome.kind === 'done') return outcome.value;
  return { problem: outcome.kind === 'busy' ? 'no thread was free to read it' : 'it takes too long to read' };
}
