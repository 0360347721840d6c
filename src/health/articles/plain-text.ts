import { stripControlCharacters } from './control-characters.ts';
import { blockTags, type Element, type Node } from './feed-tree.ts';
import { readHtml } from './html-meaning.ts';

const stillMarkup =
  /<\/(?:a|b|i|u|s|em|del|ins|strong|strike|p|div|span|font|su[bp]|h[1-6]|ul|ol|li|script|style)\s*>|<(?:br|hr|img|p)\b[^<>]*>|&(?:amp|lt|gt|quot|apos|nbsp|#\d+|#x[\da-f]+);/i;

export interface PlainText {
  text: string;
  /** Why the text does not say what the HTML says; null when it does. */
  problem: string | null;
}

/**
 * The visible text of HTML on one line: tags and control characters removed, entities decoded, white space collapsed, superscripts and
 * subscripts as `m²` and `H₂O`, struck text left out, list items numbered. Decodes doubly escaped text.
 */
export function readText(htmlOrText: string): PlainText {
  let text = htmlOrText;
  let found: string | null = null;
  for (let round = 0; round < 3; round += 1) {
    const { root, problem } = readHtml(escapeBareAngles(text), () => null);
    text = documentText(root);
    found ??= problem;
    if (!stillMarkup.test(text)) break;
  }
  return { text, problem: found };
}

export const plainText = (htmlOrText: string): string => readText(htmlOrText).text;

// `BMI <25` and `a < b` are text. Matches only up to the next `<`: looking for closing quotes would be quadratic.
const bareAngle = /<(?!!--|[a-z/!?][^<>]*>)/gi;

/** HTML in which every `<` that begins no tag is an entity. */
export const escapeBareAngles = (html: string): string => html.replace(bareAngle, '&lt;');

const anyOtherTag = /<(?!\/?(?:p|div|span|br)\b|!--)[a-z/!]/i;
const escapedMarkup =
  /&lt;\/(?:p|a|b|i|u|s|em|del|ins|strong|strike|div|span|font|su[bp]|h[1-6]|ul|ol|li|table|t[rdh])\s*&gt;|&lt;(?:br|hr|img|p)\b(?:[^<>&]|&(?![lg]t;))*&gt;/i;

/** HTML that was escaped twice is escaped once: it has no markup of its own, and its text has. */
export function unescapeTwice(html: string): string {
  if (!escapedMarkup.test(html) || anyOtherTag.test(html)) return html;
  return html
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&(?:apos|#0?39);/g, "'")
    .replace(/&amp;/g, '&');
}

/** The text of a document on one line. */
export const documentText = (root: Element): string =>
  stripControlCharacters(flatText(root)).replace(/\s+/g, ' ').trim();

function flatText(node: Node): string {
  if (typeof node === 'string') return node;
  if (node.tag === 'br' || node.tag === 'hr') return ' ';
  if (node.picture?.alone) return '';
  if (node.tag === 'ol' || node.tag === 'ul') return ` ${listText(node)} `;
  if (node.tag === 'table') return ` ${tableText(node)} `;
  const text = node.children.map(flatText).join('');
  return blockTags.has(node.tag) ? ` ${text} ` : text;
}

/** Items with their numbers, as browsers show them: without them `1. Take 5 mg` and `2. 3 times` run together. */
function listText({ tag, start = 1, children }: Element): string {
  let number = start;
  return children
    .map(child => {
      const text = flatText(child).trim();
      const isItem = typeof child !== 'string' && child.tag === 'li';
      if (!isItem || text === '') return text;
      return tag === 'ol' ? `${number++}. ${text}` : `• ${text}`;
    })
    .filter(text => text !== '')
    .join(' ');
}

/** Cells of a row apart by `|`, rows by `;`; cells that hold blocks are a layout, and are read one after the other. */
function tableText(table: Element): string {
  const rows: Element[] = [];
  const others: Node[] = [];
  for (const child of table.children.flatMap(part =>
    typeof part !== 'string' && /^t(?:head|body)$/.test(part.tag) ? part.children : [part],
  )) {
    if (typeof child !== 'string' && child.tag === 'tr') rows.push(child);
    else others.push(child);
  }
  const isLayout = rows.some(({ children }) => children.some(cell => typeof cell !== 'string' && hasStructure(cell)));
  const written = rows.map(({ children }) => {
    const cells = children.map(cell => flatText(cell).trim());
    return isLayout
      ? cells.join(' ')
      : cells.filter((cell, at) => cell !== '' || typeof children[at] !== 'string').join(' | ');
  });
  return [
    ...others.map(flatText),
    written.filter(row => row.replace(/[\s|]/g, '') !== '').join(isLayout ? ' ' : '; '),
  ].join(' ');
}

const hasStructure = ({ children }: Element): boolean =>
  children.some(child => {
    if (typeof child === 'string') return false;
    return child.tag === 'p' ? hasStructure(child) : child.holdsBlocks || blockTags.has(child.tag);
  });
