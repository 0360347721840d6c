import type { AtomFeed } from 'feedsmith';
import type { Maybe } from './feed-values.ts';

/** An Atom text construct as HTML; undefined when absent or not text, such as a base64 image. */
export function atomTextToHtml(text: Maybe<AtomFeed.Text | AtomFeed.Content>): Maybe<string> {
  if (!text?.value) return undefined;
  const type = text.type?.toLowerCase() ?? '';
  if (/^(?:xhtml|application\/xhtml\+xml)$/.test(type)) return xhtmlToHtml(text.value);
  if (/^(?:html|text\/html)$/.test(type)) return text.value;
  if (type !== '' && type !== 'text' && type !== 'text/plain') return undefined;
  // A missing type means text, but many feeds without a type contain HTML.
  const isHtml = type === '' && /<\/[a-z][a-z0-9]*\s*>|<(?:br|p|img|hr)\b[^<>]*>/i.test(text.value);
  return isHtml ? text.value : textToHtml(text.value);
}

const voidElements = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Empty elements of XML get an end tag: HTML reads `<b/>` as a start tag. */
function xhtmlToHtml(xhtml: string): string {
  return xhtml.replace(
    /<((?:[\w.-]{1,50}:)?([a-z][\w.-]{0,50}))(\s[^<>]*)?\/>/gi,
    (tag, name: string, local: string, rest = '') => (voidElements.test(local) ? tag : `<${name}${rest}></${name}>`),
  );
}

/** Plain text as HTML with paragraphs and line breaks. */
export function textToHtml(text: string): string {
  // By number: `&lt;` would be read as markup that was escaped twice.
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&#60;').replace(/>/g, '&#62;');
  if (!escaped.includes('\n')) return escaped;
  const paragraphs = escaped.split(/\n\s*\n/).map(paragraph => paragraph.replace(/\n/g, '<br>'));
  return paragraphs.map(paragraph => `<p>${paragraph}</p>`).join('');
}
