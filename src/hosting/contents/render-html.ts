import { LRUCache } from 'lru-cache';
import { nextEventLoopTurn } from 'operation-rest/event-loop-turn';
import type { Oid } from '../../git/object.ts';
import { workerPool } from '../../workers/worker-pool.ts';
import { programBeside, type WorkerTask } from '../../workers/worker-task.ts';

/** Part of the ETag of every rendered page: change it when the rendering changes. */
const renderedEtag = 'html2';
/** The same for a file that is shown unrendered. */
const plainEtag = 'text1';

const markdownName = /\.(md|markdown|mdown|mkdn?)$/i;

/** Milliseconds after which a text that could not be rendered in time is tried again: ten minutes. */
const retryAfterMs = 600_000;

/**
 * Ordinary Markdown takes 0.2 s per megabyte; a crafted text can take tens of seconds. A request that would wait longer
 * than `maxQueueMs` gets the unrendered text, which is better than a page after a minute.
 */
const renderTask: WorkerTask<string, string | undefined> = {
  name: 'Markdown',
  program: programBeside(import.meta.url, 'render-worker'),
  deadlineMs: 2_000,
  maxQueued: 100,
  maxQueuedPerKey: 100,
  maxQueueMs: 10_000,
};

/** Rendered pages, 16 MB; false for a text that could not be rendered. */
const pageCache = new LRUCache<Oid, string | false>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: page => (page === false ? 0 : page.length) + 100,
});

/** Renders in progress: concurrent requests for one page share the same render. */
const inFlight = new Map<Oid, Promise<string | undefined>>();

/**
 * A file as an HTML fragment with its ETag. Markdown is rendered and sanitised; other files, and Markdown that takes
 * too long, are shown unrendered, with another ETag.
 */
export async function renderHtml({
  name,
  oid,
  bytes,
}: {
  name: string;
  oid: Oid;
  bytes: Buffer;
}): Promise<{ text: string; versionTag: string }> {
  const text = bytes.toString();
  const page = markdownName.test(name) ? await getPage(oid, text) : undefined;
  if (page === undefined)
    return { text: `<pre>${await escapeHtmlInTurns(text)}</pre>`, versionTag: `${oid}-${plainEtag}` };
  return { text: `<article class="markdown-body">\n${page}</article>`, versionTag: `${oid}-${renderedEtag}` };
}

/**
 * Undefined when the text is nested too deep, takes too long, or the pool is busy. Only the last is retried
 * immediately.
 */
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
  // A failure is cached for a limited time: the machine may have been busy.
  if (page === undefined) pageCache.set(oid, false, { ttl: retryAfterMs });
  else pageCache.set(oid, page);
  return page;
}

/** Characters that are escaped in one slice: 3 ms where each is a bracket or a quotation mark. */
const charsPerSlice = 16 * 1024;

/**
 * Escapes a text, with turns of the event loop: a megabyte of brackets and quotation marks takes 0.1 s. V8 puts a replaced text together
 * when it is read; the bytes of each piece are made in its own slice, and not all in the last one.
 */
async function escapeHtmlInTurns(text: string): Promise<string> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    if (at > 0) await nextEventLoopTurn();
    const end = at + charsPerSlice;
    // A surrogate pair is not divided.
    const next = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end + 1 : end;
    pieces.push(Buffer.from(escapeHtml(text.slice(at, next))));
    at = next;
  }
  return Buffer.concat(pieces).toString();
}

/** Native replacements: a callback for each of a million `<` took 0.6 s. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
