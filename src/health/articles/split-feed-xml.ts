export type FeedRoot = 'rss' | 'feed' | 'rdf';

/** An XML feed taken apart, so that a broken entry is broken alone. */
export interface FeedXml {
  root: FeedRoot;
  /** `documentOf([])` is the feed without its entries; with entries, a small feed of just these. */
  documentOf: (entries: string[]) => string;
  entries: EntryXml[];
}

export interface EntryXml {
  xml: string;
  /** False when its end tag is missing: the file was cut off, or the next entry starts inside of it. */
  ends: boolean;
}

// The longest in a hundred feeds of others was 1.7 KB. It is parsed again with every batch of entries.
const maxRootTagLength = 8_192;

/**
 * Finds root and entries of XML text, or says what is there instead (the end of a sentence that starts with
 * "found"). Nothing is validated. The DOCTYPE is left out: no entity it declares is ever known, so none expands.
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

  // `p0:entry` under an unprefixed `feed` is legal and has been seen.
  const entryName = { rss: 'item', rdf: '(?:[\\w.-]+:)?item', feed: '(?:[\\w.-]+:)?entry' }[root];
  const { entries, rest } = splitEntries(text, rootEnd, entryName);
  const rootTag = text.slice(start, rootEnd).replace(/\/>$/, '>');
  // In RSS the entries are inside of the channel, whose own tag is in `rest`.
  const [before, after] = root === 'rss' ? [`${rootTag}<channel>`, '</channel>'] : [rootTag, ''];
  const end = `</${opening.slice(1)}>`;
  return {
    root,
    documentOf: some => (some.length > 0 ? `${before}${some.join('')}${after}${end}` : `${rootTag}${rest}`),
    entries,
  };
}

function describeRoot(root: string, opening: string): string {
  if (/^(?:html|head|body|script|meta|title|link|div|p)$/.test(root)) return 'an HTML page';
  if (root === 'opml') return 'an OPML list of feeds';
  return `XML that starts with ${opening}>`;
}

/** Where the first element starts: behind the XML declaration, comments and the DOCTYPE with all it declares. */
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

/** The end of a comment, CDATA section or processing instruction that starts at `at`; -1 when it does not end. */
function findMarkupEnd(text: string, at: number, endless = new Set<string>()): number {
  const [start, end] =
    (
      [
        ['<!--', '-->'],
        ['<![CDATA[', ']]>'],
        ['<?', '?>'],
      ] as const
    ).find(([mark]) => text.startsWith(mark, at)) ?? (['<!', '>'] as const);
  const found = endless.has(end) ? -1 : text.indexOf(end, at + start.length);
  // Asked once: a million unended comments would otherwise each be searched to the end of the file.
  if (found === -1) endless.add(end);
  return found === -1 ? -1 : found + end.length;
}

function findTagEnd(text: string, start: number): number {
  const part = /[^"'>]*(?:"[^"]*"|'[^']*'|>)/y;
  const near = text.slice(start, start + maxRootTagLength + 1);
  for (let found = part.exec(near); found; found = part.exec(near)) {
    if (found[0].endsWith('>')) return start + part.lastIndex;
  }
  // Its quotes do not pair up, so the first angle is as good as any.
  const angle = text.indexOf('>', start);
  return angle === -1 ? text.length : angle + 1;
}

/**
 * One walk over all tags. An entry inside of an entry does not exist in any format: it means that the outer one
 * was never closed, and it is where reading goes on. An empty one in there (`<item/>`, seen) means nothing.
 */
function splitEntries(text: string, from: number, entryName: string): { entries: EntryXml[]; rest: string } {
  const entryTag = new RegExp(`(/?)${entryName}(?=[\\s/>])`, 'iy');
  const nextEntry = new RegExp(`</${entryName}\\s*>\\s*<${entryName}[\\s>]`, 'i');
  const endless = new Set<string>();
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
      const end = findMarkupEnd(text, at, endless);
      // One that does not end, or ends in a later entry, is the fault of the entry it is in; others follow.
      const runsOn = end === -1 || (open !== -1 && nextEntry.test(text.slice(at, end)));
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

/** The parser leaves an entry out that holds nothing it knows; an attribute that it does know keeps it. */
function keepEmptyEntry(entry: string): string {
  return entry.replace(/^<[^\s/>]+/, '$& xml:space="default"');
}
