import { type Element, type Node, textContent } from './feed-tree.ts';
import type { HtmlElement, HtmlNode } from './html-tree.ts';

/**
 * A list with the numbers that readers see: texts refer to "step 3". Markdown counts up by one from any number; where the items are
 * numbered otherwise (`value`, `reversed`, letters, a struck item), the numbers are written as text.
 */
export function listOf(
  { attributes, children }: HtmlElement,
  tag: 'ul' | 'ol',
  listStyle: string | null,
  convert: (child: HtmlNode) => Node[],
): Element {
  const items = children.map(child => ({ child, nodes: convert(child) }));
  const written = (nodes: Node[]): Element => ({ tag, holdsBlocks: false, children: nodes });
  if (tag === 'ul' && !isNumbered(listStyle)) return written(items.flatMap(({ nodes }) => nodes));

  const isItem = ({ child }: (typeof items)[number]) => typeof child !== 'string' && child.name === 'li';
  const step = attributes.has('reversed') ? -1 : 1;
  let next = integer(attributes.get('start')) ?? (step === 1 ? 1 : items.filter(isItem).length);
  const kept: { element: Element; number: number; style: string }[] = [];
  const result: Node[] = [];
  for (const item of items) {
    const [element] = item.nodes;
    if (!isItem(item) || typeof item.child === 'string') {
      for (const node of item.nodes) result.push(node);
      continue;
    }
    const number = integer(item.child.attributes.get('value')) ?? next;
    next = number + step;
    if (typeof element !== 'object' || element.tag !== 'li' || isBlank(element)) continue;
    kept.push({
      element,
      number,
      style: item.child.attributes.get('type') ?? listStyle ?? attributes.get('type') ?? '1',
    });
    result.push(element);
  }
  const start = kept[0]?.number ?? 1;
  const counts = kept.every(({ number, style }, at) => number === start + at && markOf(style, number) === `${number}.`);
  if (counts && start >= 0 && start <= 999_999) return { ...written(result), tag: 'ol', start };
  for (const { element, number, style } of kept) writeMark(element, markOf(style, number));
  return { ...written(result), tag: 'ul' };
}

const isNumbered = (style: string | null): boolean => /decimal|alpha|roman|latin/.test(style ?? '');

const isBlank = (element: Element): boolean => !element.children.some(hasContent);
const hasContent = (node: Node): boolean =>
  typeof node === 'string' ? node.trim() !== '' : node.picture !== undefined || node.children.some(hasContent);

const integer = (text: string | undefined): number | null =>
  text !== undefined && /^\s*[+-]?\d{1,9}/.test(text) ? Number.parseInt(text, 10) : null;

/** Puts the mark in front of the first text of an item. */
function writeMark(element: Element, mark: string): void {
  if (mark === '') return;
  const first = element.children.find(child => textContent(child).trim() !== '');
  if (typeof first === 'object' && first.tag === 'p') writeMark(first, mark);
  else element.children.unshift(`${mark} `);
}

/** The mark of an item as browsers write it; '' for none. */
function markOf(style: string, number: number): string {
  if (/none/.test(style)) return '';
  if (style === 'a' || /lower-(?:alpha|latin)/.test(style)) return `${letters(number)}.`;
  if (style === 'A' || /upper-(?:alpha|latin)/.test(style)) return `${letters(number).toUpperCase()}.`;
  if (style === 'i' || /lower-roman/.test(style)) return `${roman(number).toLowerCase()}.`;
  if (style === 'I' || /upper-roman/.test(style)) return `${roman(number)}.`;
  if (/decimal-leading-zero/.test(style)) return `${String(number).padStart(2, '0')}.`;
  return `${number}.`;
}

function letters(number: number): string {
  if (number < 1) return String(number);
  let rest = number;
  let text = '';
  while (rest > 0) {
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
    rest = Math.floor((rest - 1) / 26);
  }
  return text;
}

const romanDigits = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
] as const;

function roman(number: number): string {
  if (number < 1 || number > 3_999) return String(number);
  let rest = number;
  let text = '';
  for (const [value, digit] of romanDigits) {
    while (rest >= value) {
      text += digit;
      rest -= value;
    }
  }
  return text;
}
