import { LRUCache } from 'lru-cache';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';
import type { HighlightJob } from './highlight-worker.ts';

/** 256 KB of TypeScript take 0.15 s. */
const maxLength = 256 * 1024;

const highlightTask: WorkerTask<HighlightJob, string[] | undefined> = {
  name: 'source code',
  program: programBeside(import.meta.url, 'highlight-worker'),
  deadlineMs: 2_000,
  maxQueued: 50,
  maxQueuedPerKey: 50,
  maxQueueMs: 5_000,
};

/** By blob and file name, 16 MB; false for a text that is not highlighted. */
const cache = new LRUCache<string, readonly string[] | false>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: lines => (lines === false ? 100 : lines.reduce((sum, line) => sum + line.length + 20, 100)),
});

/**
 * The lines of a file as HTML with classes of highlight.js; null for an unknown language, a long text, and one that takes too long. It is
 * then shown as it is.
 */
export async function highlightLines(oid: string, name: string, text: string): Promise<readonly string[] | null> {
  if (text.length > maxLength) return null;
  const key = `${oid}:${name}`;
  const known = cache.get(key);
  if (known !== undefined) return known === false ? null : known;
  const outcome = await workerPool.run(highlightTask, { name, text });
  if (outcome.kind === 'busy') return null;
  const lines = (outcome.kind === 'done' ? outcome.value : undefined) ?? false;
  cache.set(key, lines);
  return lines === false ? null : lines;
}
