import MarkdownIt from 'markdown-it';
import sanitizeHtml, { type IOptions, type Tag } from 'sanitize-html';
import { stripControlCharacters } from './control-characters.ts';
import { markdownOf } from './feed-markdown.ts';
import { readHtml } from './html-meaning.ts';
import { documentText, escapeBareAngles, unescapeTwice } from './plain-text.ts';

// About 30,000 words, a short book.
const maxBodyLength = 200_000;
// Images are excluded on purpose: loading one would tell its host who reads about which disease. The only image of an
// article is `imageUrl`, which the client chooses to load.
const allowedTags = 'p h2 h3 h4 ul ol li blockquote strong em a code pre table thead tbody tr th td br hr'.split(' ');

/** Allow-list of an article. It finds nothing to remove in what markdown-it writes. */
const servingOptions: IOptions = {
  allowedTags,
  allowedAttributes: { a: ['href', 'rel'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  nestingLimit: 100,
  transformTags: {
    h1: 'h2',
    h5: 'h4',
    h6: 'h4',
    a: (_name, { href = '' }): Tag => {
      const usable = normalizeLink(href);
      return { tagName: 'a', attribs: usable ? { href: usable, rel: 'nofollow noopener' } : {} };
    },
  },
};

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

/**
 * Markdown → the HTML in `body` of `GET /articles/{id}/`: p, h2–h4, lists, quotes, strong, em, code, tables, br, hr,
 * and links to http, https and mailto with rel="nofollow noopener"; no other attribute except `start` of ol. HTML in
 * the Markdown is escaped. The output also passes the allow-list, although markdown-it generates nothing else: each of
 * the two has had vulnerabilities.
 */
export function renderArticleBody(markdownText: string): string {
  return sanitizeHtml(markdown.render(stripControlCharacters(markdownText)), servingOptions).trim();
}

export interface ArticleText {
  /** Markdown that `renderArticleBody` renders; at most 200,000 characters. */
  markdown: string;
  /** The same on one line, without the pictures that stand alone. */
  text: string;
  /** Why the text does not say what the HTML says; null when it does. */
  problem: string | null;
}

/** Reads untrusted HTML as an article. Never throws. Relative links are resolved against `base`. */
export function readArticleHtml(html: string, base?: string): ArticleText {
  const { root, problem } = readHtml(escapeBareAngles(unescapeTwice(html)), href => normalizeLink(href, base));
  const text = documentText(root);
  return { markdown: limit(markdownOf(root, line => markdown.renderInline(line))), text, problem };
}

/** Untrusted HTML → Markdown, see `readArticleHtml`. */
export const htmlToMarkdown = (html: string, base?: string): string => readArticleHtml(html, base).markdown;

function limit(written: string): string {
  if (written.length <= maxBodyLength) return written;
  const blockEnd = written.lastIndexOf('\n\n', maxBodyLength - 3);
  return `${written.slice(0, blockEnd > 0 ? blockEnd : maxBodyLength - 3).toWellFormed()}\n\n…`;
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
