import MarkdownIt from 'markdown-it';
import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html';
import { markdownOf } from './feed-markdown.ts';

// About 30,000 words, a short book.
const maxBodyLength = 200_000;
// HTML of such a body with four characters of markup for one of text.
const maxHtmlLength = 1_000_000;

// Pictures are not in the list on purpose: whoever opened an article on a disease would tell the picture's host
// so. The one picture that an article may have is its `imageUrl`, which a client loads knowingly.
const allowedTags = 'p h2 h3 h4 ul ol li blockquote strong em a code pre table thead tbody tr th td br hr'.split(' ');

// Their text is not for reading. Not in the list: iframe, video and object, which feeds leave open often enough
// that the rest of the article would go with them.
const nonTextTags = 'script style textarea option xmp noscript template title svg math button'.split(' ');

// sanitize-html takes an unlisted tag away without a trace, so `<div>a</div><div>b</div>` would become "ab".
const paragraphTags =
  'div section article main aside header footer nav figure figcaption address center dl dt dd details summary caption fieldset form legend';

/**
 * What may stand in an article. `base` is the address that relative links are resolved against; without it they
 * lose their link and keep their text.
 */
function sanitizerOptions(base?: string): IOptions {
  return {
    allowedTags,
    allowedAttributes: { a: ['href', 'rel'], ol: ['start'], td: ['colspan', 'rowspan'], th: ['colspan', 'rowspan'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    nonTextTags,
    // Deeper than anybody can read; what is nested deeper keeps its text.
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
 * The address as a browser reads it (tabs and line breaks out, any case), written as it was read, so that no
 * spelling of `javascript:` can mean one thing here and another thing there. Null for all but web and mail.
 */
function normalizeLink(href: string, base?: string): string | null {
  const url = URL.parse(href, base);
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return null;
  // `https://who.int@evil.example/` shows one host and leads to another.
  url.username = '';
  url.password = '';
  return url.href;
}

/**
 * A link that leads nowhere stays as a bare `<a>`. Turned into a tag that is not listed, it would make sanitize-html
 * 2.17.5 close the next element with the name of that tag.
 */
function linkTag({ href = '' }: Attributes, base?: string): Tag {
  const usable = normalizeLink(href, base);
  return { tagName: 'a', attribs: usable ? { href: usable, rel: 'nofollow noopener' } : {} };
}

function cellTag(tagName: string, { colspan = '', rowspan = '' }: Attributes): Tag {
  const spans = Object.entries({ colspan, rowspan }).filter(([, span]) => /^[1-9]\d?$/.test(span) && span !== '1');
  return { tagName, attribs: Object.fromEntries(spans) };
}

// Links are made where an author wrote one, not wherever text looks like a host: "e.g.who" is no address.
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('strikethrough');
// A picture is told by its description, see `allowedTags`.
markdown.renderer.rules.image = (tokens, at) => markdown.utils.escapeHtml(tokens[at]?.content ?? '');

// A link that may not be served is only its text.
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

// A page of a news site is some 30 deep. htmlparser2 10 takes quadratic time in the depth: 37 s for a megabyte of `<a>`.
const maxDepth = 1_000;

class TooDeep extends Error {}

/** sanitizeHtml in linear time: of what is nested too deep for anybody to have written, only the text is left. */
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
 * Markdown → the HTML that `GET /articles/{id}/` serves in `body`: p, h2–h4, lists, quotes, strong, em, links to
 * http, https and mailto with rel="nofollow noopener", code, tables, br, hr; no other attribute but `start` of ol.
 * HTML inside the Markdown is shown as text. The output passes the allow-list although markdown-it makes nothing
 * else: two locks, because either had its holes in the past.
 */
export function renderArticleBody(markdownText: string): string {
  return sanitize(markdown.render(stripControlCharacters(markdownText)), servingOptions).trim();
}

/**
 * HTML from anywhere → Markdown that `renderArticleBody` shows with the same text and structure, as far as the
 * allow-list knows it; at most 200,000 characters. Never throws. Relative links are resolved against `base`.
 */
export function htmlToMarkdown(html: string, base?: string): string {
  const clean = sanitize(replaceSubAndSuperscript(html.slice(0, maxHtmlLength)), sanitizerOptions(base));
  // After the entities are decoded, which can stand for control characters.
  const written = markdownOf(stripControlCharacters(clean), line => markdown.renderInline(line));
  if (written.length <= maxBodyLength) return written;
  const blockEnd = written.lastIndexOf('\n\n', maxBodyLength - 3);
  return `${written.slice(0, blockEnd > 0 ? blockEnd : maxBodyLength - 3).toWellFormed()}\n\n…`;
}

const blockTag =
  /<\/?(?:p|div|br|hr|li|ul|ol|h[1-6]|t[rdh]|table|blockquote|pre|section|article|figure|figcaption|d[ltd])\b/gi;
// `BMI <25` and `a < b` are text. Only up to the next `<`: a search for the end of quotes would be quadratic.
const bareAngle = /<(?!!--|[a-z/!?][^<>]*>)/gi;
const stillMarkup =
  /<\/(?:a|b|i|u|em|strong|p|div|span|font|su[bp]|h[1-6]|ul|ol|li|script|style)\s*>|<(?:br|hr|img|p)\b[^<>]*>|&(?:amp|lt|gt|quot|apos|nbsp|#\d+|#x[\da-f]+);/i;

/**
 * The text a reader would see: tags and control characters out, entities decoded, white space folded to single
 * spaces, powers and indices as `m²` and `H₂O`. What was escaped twice is read twice.
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
  const text = escaped
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
  // Only now, because an entity can stand for a control character.
  return stripControlCharacters(text).replace(/\s+/g, ' ').trim();
}

const superscripts: Record<string, string> = { ...digitMap('⁰¹²³⁴⁵⁶⁷⁸⁹'), '+': '⁺', '-': '⁻', '−': '⁻' };
const subscripts: Record<string, string> = { ...digitMap('₀₁₂₃₄₅₆₇₈₉'), '+': '₊', '-': '₋', '−': '₋' };

function digitMap(written: string): Record<string, string> {
  return Object.fromEntries([...written].map((digit, value) => [String(value), digit]));
}

/** In a health article `10<sup>6</sup>` must not become 106, nor `1<sup>1</sup>/<sub>2</sub>` tablets 11/2. */
function replaceSubAndSuperscript(html: string): string {
  return html
    .replace(/<(su[bp])\b[^<>]*>\s*([-+−]?\d{1,9}[-+−]?)\s*<\/\1\s*>/gi, (_, tag: string, text: string) => {
      const letters = tag.toLowerCase() === 'sup' ? superscripts : subscripts;
      return [...text].map(letter => letters[letter] ?? letter).join('');
    })
    .replace(/<sup\b(?<=\d\s{0,3}<sup)[^<>]*>(?=(?:\s|<[^<>]{0,500}>){0,3}[-+−.,\d])/gi, '^');
}

/**
 * `text` without characters that are not text: control characters other than tab and line ends, the marks that
 * override the direction of writing, byte order marks and halves of surrogate pairs. PostgreSQL refuses NUL.
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
 * Whole minutes to read Markdown at 200 words a minute, at least 1. Addresses of links are not read; a character
 * of a script without spaces between words counts half a word (400 characters a minute).
 */
export function readTimeMinutes(markdownText: string): number {
  const read = markdownText.replace(/\]\([^()\s]*\)/g, ']');
  const dense = read.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  const spaced = read.replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu, ' ');
  const words = spaced.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’.,-][\p{L}\p{N}\p{M}]+)*/gu)?.length ?? 0;
  return Math.max(1, Math.ceil((words + dense / 2) / 200));
}
