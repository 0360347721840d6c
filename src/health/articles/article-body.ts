import MarkdownIt from 'markdown-it';
import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html';
import { markdownOf } from './feed-markdown.ts';
import { decodeEntities } from './feed-tree.ts';

// About 30,000 words, a short book.
const maxBodyLength = 200_000;
// HTML of such a body, with four characters of markup for each of text.
const maxHtmlLength = 1_000_000;

// Images are excluded on purpose: loading one would tell its host who reads about which disease. The only image of an
// article is `imageUrl`, which the client chooses to load.
const allowedTags = 'p h2 h3 h4 ul ol li blockquote strong em a code pre table thead tbody tr th td br hr'.split(' ');

// Elements whose text is not readable content. iframe, video and object are missing here because feeds often do not
// close them, and the rest of the article would be dropped.
const nonTextTags = 'script style textarea option xmp noscript template title svg math button'.split(' ');

// sanitize-html removes an unlisted tag without a separator: `<div>a</div><div>b</div>` would become "ab".
const paragraphTags =
  'div section article main aside header footer nav figure figcaption address center dl dt dd details summary caption fieldset form legend';

/** Allow-list of an article. Relative links are resolved against `base`; without it they are replaced by their text. */
function sanitizerOptions(base?: string): IOptions {
  return {
    allowedTags,
    allowedAttributes: { a: ['href', 'rel'], ol: ['start'], td: ['colspan', 'rowspan'], th: ['colspan', 'rowspan'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    nonTextTags,
    // Deeper elements are dropped and their text is kept.
    nestingLimit: 40,
    transformTags: {
      ...Object.fromEntries(paragraphTags.split(' ').map(tag => [tag, 'p'])),
      h1: 'h2',
      h5: 'h4',
      h6: 'h4',
      b: 'strong',
      i: 'em',
      tt: 'code',
      samp: 'code',
      kbd: 'code',
      a: (_name, attributes) => linkTag(attributes, base),
      ol: (_name, { start }): Tag => ({
        tagName: 'ol',
        attribs: /^\d{1,6}$/.test(start ?? '') ? { start: start ?? '' } : {},
      }),
      td: (_name, attributes) => cellTag('td', attributes),
      th: (_name, attributes) => cellTag('th', attributes),
    },
  };
}

/**
 * The URL as a browser parses it (tabs and line breaks removed, any case), serialized again, so that no spelling of
 * `javascript:` is read differently here and there. Null for other schemes than http, https and mailto.
 */
function normalizeLink(href: string, base?: string): string | null {
  const url = URL.parse(href, base);
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return null;
  // `https://who.int@evil.example/` displays one host and opens another.
  url.username = '';
  url.password = '';
  return url.href;
}

/**
 * A link without a usable URL stays a bare `<a>`. Mapped to an unlisted tag, it would make sanitize-html 2.17.5 close
 * the next element of that name.
 */
function linkTag({ href = '' }: Attributes, base?: string): Tag {
  const usable = normalizeLink(href, base);
  return { tagName: 'a', attribs: usable ? { href: usable, rel: 'nofollow noopener' } : {} };
}

function cellTag(tagName: string, { colspan = '', rowspan = '' }: Attributes): Tag {
  const spans = Object.entries({ colspan, rowspan }).filter(([, span]) => /^[1-9]\d?$/.test(span) && span !== '1');
  return { tagName, attribs: Object.fromEntries(spans) };
}

// No linkify: only explicit links. "e.g.who" is not a host.
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('strikethrough');
// Images are replaced by their alternative text, see `allowedTags`.
markdown.renderer.rules.image = (tokens, at) => markdown.utils.escapeHtml(tokens[at]?.content ?? '');

// A link with a refused URL is replaced by its text.
markdown.core.ruler.push('usable_links', ({ tokens }) => {
  for (const { children } of tokens) {
    let dropped = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') dropped = normalizeLink(String(token.attrGet('href'))) === null;
      if (dropped && /^link_/.test(token.type)) Object.assign(token, { type: 'text', content: '' });
    }
  }
});

const servingOptions = sanitizerOptions();

// Pages of news sites nest some 30 deep. htmlparser2 10 is quadratic in the depth: 37 s for a megabyte of `<a>`.
const maxDepth = 1_000;

class TooDeep extends Error {}

/** sanitizeHtml in linear time: from input nested deeper than `maxDepth` only the text is kept. */
function sanitize(html: string, options: IOptions): string {
  let depth = 0;
  const onOpenTag = () => {
    depth += 1;
    if (depth > maxDepth) throw new TooDeep();
  };
  const onCloseTag = () => {
    depth -= 1;
  };
  try {
    return sanitizeHtml(html, { ...options, onOpenTag, onCloseTag });
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return sanitizeHtml(html.replace(/<[^<>]*>/g, ' '), options);
  }
}

/**
 * Markdown → the HTML in `body` of `GET /articles/{id}/`: p, h2–h4, lists, quotes, strong, em, code, tables, br, hr,
 * and links to http, https and mailto with rel="nofollow noopener"; no other attribute except `start` of ol. HTML in
 * the Markdown is escaped. The output also passes the allow-list, although markdown-it generates nothing else: each of
 * the two has had vulnerabilities.
 */
export function renderArticleBody(markdownText: string): string {
  return sanitize(markdown.render(stripControlCharacters(markdownText)), servingOptions).trim();
}

/**
 * Untrusted HTML → Markdown that `renderArticleBody` renders with the same text and structure, within the allow-list;
 * at most 200,000 characters. Never throws. Relative links are resolved against `base`.
 */
export function htmlToMarkdown(html: string, base?: string): string {
  const clean = sanitize(replaceSubAndSuperscript(html.slice(0, maxHtmlLength)), sanitizerOptions(base));
  // After decoding entities, which can encode control characters.
  const written = markdownOf(stripControlCharacters(clean), line => markdown.renderInline(line));
  if (written.length <= maxBodyLength) return written;
  const blockEnd = written.lastIndexOf('\n\n', maxBodyLength - 3);
  return `${written.slice(0, blockEnd > 0 ? blockEnd : maxBodyLength - 3).toWellFormed()}\n\n…`;
}

const blockTag =
  /<\/?(?:p|div|br|hr|li|ul|ol|h[1-6]|t[rdh]|table|blockquote|pre|section|article|figure|figcaption|d[ltd])\b/gi;
// `BMI <25` and `a < b` are text. Matches only up to the next `<`: looking for closing quotes would be quadratic.
const bareAngle = /<(?!!--|[a-z/!?][^<>]*>)/gi;
const stillMarkup =
  /<\/(?:a|b|i|u|em|strong|p|div|span|font|su[bp]|h[1-6]|ul|ol|li|script|style)\s*>|<(?:br|hr|img|p)\b[^<>]*>|&(?:amp|lt|gt|quot|apos|nbsp|#\d+|#x[\da-f]+);/i;

/**
 * The visible text of HTML: tags and control characters removed, entities decoded, white space collapsed, superscripts
 * and subscripts as `m²` and `H₂O`. Decodes doubly escaped text.
 */
export function plainText(htmlOrText: string): string {
  let text = htmlOrText;
  for (let round = 0; round < 3; round += 1) {
    text = textOfHtml(text);
    if (!stillMarkup.test(text)) break;
  }
  return text;
}

function textOfHtml(html: string): string {
  const spaced = replaceSubAndSuperscript(html).replace(blockTag, ' $&').replace(bareAngle, '&lt;');
  const escaped = sanitize(spaced, { allowedTags: [], allowedAttributes: {}, nonTextTags });
  // After decoding: an entity can encode a control character.
  return stripControlCharacters(decodeEntities(escaped)).replace(/\s+/g, ' ').trim();
}

/** The characters of `written` for digits, plus, hyphen and minus. */
const writtenAs = (written: string): ReadonlyMap<string, string> =>
  new Map([...'0123456789+-−'].map((character, at) => [character, written.charAt(at)]));
const superscripts = writtenAs('⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻');
const subscripts = writtenAs('₀₁₂₃₄₅₆₇₈₉₊₋₋');

/** In a health article `10<sup>6</sup>` must not become 106, nor `1<sup>1</sup>/<sub>2</sub>` tablets 11/2. */
function replaceSubAndSuperscript(html: string): string {
  return html
    .replace(/<(su[bp])\b[^<>]*>\s*([-+−]?\d{1,9}[-+−]?)\s*<\/\1\s*>/gi, (_, tag: string, text: string) => {
      const letters = tag.toLowerCase() === 'sup' ? superscripts : subscripts;
      return [...text].map(letter => letters.get(letter) ?? letter).join('');
    })
    .replace(/<sup\b(?<=\d\s{0,3}<sup)[^<>]*>(?=(?:\s|<[^<>]{0,500}>){0,3}[-+−.,\d])/gi, '^');
}

/**
 * Removes control characters other than tab and line ends, bidirectional overrides, byte order marks and unpaired
 * surrogates. PostgreSQL refuses NUL.
 */
export function stripControlCharacters(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      .replace(/[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\u202A-\u202E\uFEFF\uFFFE\uFFFF]/g, '')
  );
}

/**
 * Reading time of Markdown in whole minutes, at least 1, at 200 words a minute. Link URLs are not counted; a character
 * of a script without spaces between words counts as half a word.
 */
export function readTimeMinutes(markdownText: string): number {
  const read = markdownText.replace(/\]\([^()\s]*\)/g, ']');
  const dense = read.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  const spaced = read.replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu, ' ');
  const words = spaced.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’.,-][\p{L}\p{N}\p{M}]+)*/gu)?.length ?? 0;
  return Math.max(1, Math.ceil((words + dense / 2) / 200));
}
