import { LRUCache } from 'lru-cache';
import type { Oid } from '../../git/object.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';

/** Part of the tag of every page: raise it when the same file becomes another page. */
const renderedEtag = 'html1';
/** The same of a file that is shown as it is written. */
const plainEtag = 'text1';

const markdownName = /\.(md|markdown|mdown|mkdn?)$/i;

/** Milliseconds until a text of which there was no page in time is tried again: ten minutes. */
const retryAfterMs = 600_000;

/**
 * Ordinary Markdown takes 0.2 s for a megabyte; a text that is made to take long takes tens of seconds. A reader who waits for
 * longer than `maxQueueMs` gets the text as it is written, which beats a page that comes a minute later.
 */
const renderTask: WorkerTask<string, string | undefined> = {
  name: 'Markdown',
  program: programBeside(import.meta.url, 'render-worker'),
  deadlineMs: 2_000,
  maxQueued: 100,
  maxQueuedPerKey: 100,
  maxQueueMs: 10_000,
};

/** Pages that were made lately, 16 MB of them; false for a text of which there is none. */
const pageCache = new LRUCache<Oid, string | false>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: page => (page === false ? 0 : page.length) + 100,
});

/** Pages that are being made: who asks for the same one meanwhile waits with the first. */
const inFlight = new Map<Oid, Promise<string | undefined>>();

/**
 * A file as a fragment of HTML, and its tag. Markdown is rendered and sanitised; anything else, and what would take too long,
 * is shown as it is written, and so has another tag.
 */
export async function renderHtml({
  name,
  oid,
  bytes,
}: {
  name: string;
  oid: Oid;
  bytes: Buffer;
}): Promise<{ text: string; etag: string }> {
  const text = bytes.toString();
  const page = markdownName.test(name) ? await getPage(oid, text) : undefined;
  if (page === undefined) return { text: `<pre>${escapeHtml(text)}</pre>`, etag: `${oid}-${plainEtag}` };
  return { text: `<article class="markdown-body">\n${page}</article>`, etag: `${oid}-${renderedEtag}` };
}

/** Undefined where there is none: too deep, too slow, or nobody has time. Only the last may be another time. */
async function getPage(oid: Oid, text: string): Promise<string | undefined> {
  const known = pageCache.get(oid);
  if (known !== undefined) return known === false ? undefined : known;
  let made = inFlight.get(oid);
  if (!made) {
    made = renderPage(oid, text).finally(() => inFlight.delete(oid));
    inFlight.set(oid, made);
  }
  return made;
}

async function renderPage(oid: Oid, text: string): Promise<string | undefined> {
  const outcome = await workerPool.run(renderTask, text);
  if (outcome.kind === 'busy') return undefined;
  const page = outcome.kind === 'done' ? outcome.value : undefined;
  // That there is no page is not kept for good: the machine may have been busy.
  if (page === undefined) pageCache.set(oid, false, { ttl: retryAfterMs });
  else pageCache.set(oid, page);
  return page;
}

/** One pass of native code for each letter: a callback for each of a megabyte of `<` took 0.6 s. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
