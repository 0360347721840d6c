export type FeedRoot = 'rss' | 'feed' | 'rdf';

/** An XML feed split into entries, so that a broken entry does not affect the others. */
export interface FeedXml {
  root: FeedRoot;
  /** xml:base of the root. */
  base: string | undefined;
  /** `documentOf([])` is the feed without entries; with entries, a feed of only these. */
  documentOf: (entries: string[]) => string;
  entries: EntryXml[];
}

export interface EntryXml {
  xml: string;
  /** False when the end tag is missing: the file is truncated, or the next entry starts inside. */
  ends: boolean;
}

// Of a hundred real feeds the longest was 1.7 KB. The root tag is parsed again with every batch of entries.
const maxRootTagLength = 8_192;

/**
 * Finds the root and the entries of an XML feed without validating it. A problem is a noun phrase that completes "found
 * …". The DOCTYPE is dropped, so no declared entity is ever expanded.
 */
export function splitFeedXml(text: string): FeedXml | { problem: string } {
  const start = findRootStart(text);
  const tag = start === -1 ? null : /^<(?:[\w.-]+:)?([\w.-]+)/.exec(text.slice(start, start + 100));
  if (!tag) return { problem: 'no XML element and no JSON' };
  const [opening, name = ''] = tag;
  const root = name.toLowerCase();
  if (root !== 'rss' && root !== 'feed' && root !== 'rdf') return { problem: describeRoot(root, opening) };
  const rootEnd = findTagEnd(text, start);
  if (rootEnd - start > maxRootTagLength) return { problem: `a start tag ${opening}…> longer than 8 KB` };

  // `p0:entry` under an unprefixed `feed` is legal and occurs.
  const entryName = { rss: 'item', rdf: '(?:[\\w.-]+:)?item', feed: '(?:[\\w.-]+:)?entry' }[root];
  const { entries, rest } = splitEntries(text, rootEnd, entryName);
  const rootTag = text.slice(start, rootEnd).replace(/\/>$/, '>');
  // RSS entries are inside the channel, whose own tag is in `rest`.
  const [before, after] = root === 'rss' ? [`${rootTag}<channel>`, '</channel>'] : [rootTag, ''];
  const end = `</${opening.slice(1)}>`;
  return {
    root,
    base: /\sxml:base\s{0,9}=\s{0,9}["']([^"'<>]*)/i.exec(rootTag)?.[1],
    documentOf: some => (some.length > 0 ? `${before}${some.join('')}${after}${end}` : `${rootTag}${rest}`),
    entries,
  };
}

function describeRoot(root: string, opening: string): string {
  if (/^(?:html|head|body|script|meta|title|link|div|p)$/.test(root)) return 'an HTML page';
  if (root === 'opml') return 'an OPML list of feeds';
  return `XML that starts with ${opening}>`;
}

/** Offset of the root element, after the XML declaration, comments and the DOCTYPE. */
function findRootStart(text: string): number {
  let at = text.indexOf('<');
  while (at !== -1) {
    if (/^<!doctype/i.test(text.slice(at, at + 9))) at = findDoctypeEnd(text, at);
    else if (text[at + 1] === '?' || text[at + 1] === '!') at = findMarkupEnd(text, at);
    else return at;
    at = at === -1 ? -1 : text.indexOf('<', at);
  }
  return -1;
}

function findDoctypeEnd(text: string, start: number): number {
  const inside = /["'[\]>]|<!--/g;
  inside.lastIndex = start;
  let depth = 0;
  for (let found = inside.exec(text); found; found = inside.exec(text)) {
    const [mark] = found;
    if (mark === '[') depth += 1;
    else if (mark === ']') depth -= 1;
    else if (mark === '>' && depth <= 0) return found.index + 1;
    else if (mark !== '>') {
      const end = text.indexOf(mark === '<!--' ? '-->' : mark, inside.lastIndex);
      if (end === -1) return -1;
      inside.lastIndex = end + 1;
    }
  }
  return -1;
}

/**
 * End of a comment, CDATA section or processing instruction at `at`; -1 when it is not closed.
 * @param ends by end mark, where it was found last. A million comments that end at the same place, or nowhere, are searched once
 */
function findMarkupEnd(text: string, at: number, ends = new Map<string, number>()): number {
  const [start, end] =
    (
      [
        ['<!--', '-->'],
        ['<![CDATA[', ']]>'],
        ['<?', '?>'],
      ] as const
    ).find(([mark]) => text.startsWith(mark, at)) ?? (['<!', '>'] as const);
  const from = at + start.length;
  const known = ends.get(end);
  const found = known !== undefined && (known === -1 || known >= from) ? known : text.indexOf(end, from);
  ends.set(end, found);
  return found === -1 ? -1 : found + end.length;
}

function findTagEnd(text: string, start: number): number {
  const part = /[^"'>]*(?:"[^"]*"|'[^']*'|>)/y;
  const near = text.slice(start, start + maxRootTagLength + 1);
  for (let found = part.exec(near); found; found = part.exec(near)) {
    if (found[0].endsWith('>')) return start + part.lastIndex;
  }
  // The quotes are unbalanced: use the next angle bracket.
  const angle = text.indexOf('>', start);
  return angle === -1 ? text.length : angle + 1;
}

/**
 * Splits the text in one pass over all tags. Entries do not nest in any format, so an entry inside another means that
 * the outer one was not closed; parsing continues with the inner one. An empty inner one (`<item/>`, observed) is
 * ignored.
 */
function splitEntries(text: string, from: number, entryName: string): { entries: EntryXml[]; rest: string } {
  // recheck-ignore: linear, because it is sticky and has no repetition
  const entryTag = new RegExp(`(/?)${entryName}(?=[\\s/>])`, 'iy');
  const hasNextEntry = nextEntryFinder(text, entryName);
  const ends = new Map<string, number>();
  const entries: EntryXml[] = [];
  const rest: string[] = [];
  let open = -1;
  let restFrom = from;
  const endEntry = (end: number, ends: boolean) => {
    entries.push({ xml: keepEmptyEntry(text.slice(open, end)), ends });
    open = -1;
    restFrom = end;
  };
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at)) {
    if (text[at + 1] === '!' || text[at + 1] === '?') {
      const end = findMarkupEnd(text, at, ends);
      // A comment that is unclosed or ends in a later entry invalidates only the entry it starts in.
      const runsOn = end === -1 || (open !== -1 && hasNextEntry(at, end));
      at = runsOn ? at + 1 : end;
      continue;
    }
    entryTag.lastIndex = at + 1;
    const tag = entryTag.exec(text);
    if (!tag) {
      at += 1;
      continue;
    }
    const end = findTagEnd(text, at);
    const isEndTag = tag[1] === '/';
    const isEmpty = text[end - 2] === '/';
    if (!isEndTag && !(isEmpty && open !== -1)) {
      if (open !== -1) endEntry(at, false);
      rest.push(text.slice(restFrom, at));
      open = at;
    }
    if (open !== -1 && (isEndTag || (isEmpty && open === at))) endEntry(end, true);
    at = end;
  }
  if (open !== -1) endEntry(text.length, false);
  rest.push(text.slice(restFrom));
  return { entries, rest: rest.join('') };
}

/** Whether a part of the text has the end of an entry and the start of the next one. For parts whose starts ascend: linear in the text. */
function nextEntryFinder(text: string, entryName: string): (from: number, to: number) => boolean {
  // recheck-ignore: linear, because the blanks behind one name are passed once
  const boundary = new RegExp(`</${entryName}\\s*>\\s*<${entryName}[\\s>]`, 'gi');
  let next = { from: -1, to: -1 };
  return (from, to) => {
    if (next.from < from) {
      boundary.lastIndex = from;
      const found = boundary.exec(text);
      next = found
        ? { from: found.index, to: boundary.lastIndex }
        : { from: text.length, to: Number.POSITIVE_INFINITY };
    }
    return next.to <= to;
  };
}

/** feedsmith drops an entry without known content; a known attribute prevents this. */
function keepEmptyEntry(entry: string): string {
  return entry.replace(/^<[^\s/>]+/, '$& xml:space="default"');
}
