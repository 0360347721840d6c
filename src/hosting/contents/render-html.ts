import { LRUCache } from 'lru-cache';
import type { Oid } from '../../git/object.ts';
import { PageRenderer } from './page-renderer.ts';

/** Part of the tag of every page: raise it when the same file becomes another page. */
const rendering = 'html1';
/** The same of a file that is shown as it is written. */
const asWritten = 'text1';

const markdownName = /\.(md|markdown|mdown|mkdn?)$/i;

/** Milliseconds until a text of which there was no page in time is tried again: ten minutes. */
const tryAgain = 600_000;

/** One for the process: it bounds how much of its CPU pages may take. */
const renderer = new PageRenderer();

/** Pages that were made lately, 16 MB of them; false for a text of which there is none. */
const pages = new LRUCache<Oid, string | false>({
  maxSize: 16 * 1024 * 1024,
  sizeCalculation: page => (page === false ? 0 : page.length) + 100,
});

/** Pages that are being made: who asks for the same one meanwhile waits with the first. */
const making = new Map<Oid, Promise<string | undefined>>();

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
  const page = markdownName.test(name) ? await pageOf(oid, text) : undefined;
  if (page === undefined) return { text: `<pre>${escaped(text)}</pre>`, etag: `${oid}-${asWritten}` };
  return { text: `<article class="markdown-body">\n${page}</article>`, etag: `${oid}-${rendering}` };
}

/** Undefined where there is none: too deep, too slow, or nobody has time. Only the last may be another time. */
async function pageOf(oid: Oid, text: string): Promise<string | undefined> {
  const known = pages.get(oid);
  if (known !== undefined) return known === false ? undefined : known;
  let made = making.get(oid);
  if (!made) {
    made = make(oid, text).finally(() => making.delete(oid));
    making.set(oid, made);
  }
  return made;
}

async function make(oid: Oid, text: string): Promise<string | undefined> {
  const rendered = await renderer.render(text);
  if (rendered.kind === 'page') pages.set(oid, rendered.html);
  // Not for good: the machine may have been busy.
  if (rendered.kind === 'none') pages.set(oid, false, { ttl: tryAgain });
  return rendered.kind === 'page' ? rendered.html : undefined;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, letter => entities[letter] ?? letter);
}
