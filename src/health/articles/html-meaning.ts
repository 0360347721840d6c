import { blockTags, type Element, type Node, textContent } from './feed-tree.ts';
import { listOf } from './html-lists.ts';
import { type HtmlElement, type HtmlNode, parseHtml } from './html-tree.ts';
import { settleRuns } from './inline-runs.ts';
import { mathText } from './math-text.ts';
import { drawnText, pictureOf } from './picture-text.ts';
import { type StyleMeaning, styleMeaning } from './style-meaning.ts';

export interface ReadHtml {
  root: Element;
  /** Why the text alone does not say what the HTML says; null when it does. A clause that begins with "its". */
  problem: string | null;
}

/** What is passed down while a document is read. */
export interface Reading {
  resolveLink(href: string): string | null;
  problems: Set<string>;
  letters: StyleMeaning['letters'];
  depth: number;
}

// Deeper structure is dropped and its text is kept: markdown-it reads at most 100 levels.
const maxDepth = 40;

type Rule = (element: HtmlElement, reading: Reading) => Node[];

/**
 * Reads untrusted HTML as the elements an article may have. Every element and style that changes what a text says has a rule: what is
 * struck out or hidden is left out, raised digits, formulas and pictures become text, and lists keep their numbers. What no rule can
 * write as text is a problem of the whole document.
 */
export function readHtml(html: string, resolveLink: Reading['resolveLink']): ReadHtml {
  const { children, flattened } = parseHtml(html);
  const reading: Reading = { resolveLink, problems: new Set(), letters: null, depth: 0 };
  if (flattened && changesMeaning.test(html)) reading.problems.add('its markup nests more than 1,000 levels deep');
  // The characters themselves are removed from every text.
  // recheck-ignore: each of the characters is followed for at most 500
  if (/(?:\u202E|&#(?:8238|x202e);)[^<\u202C]{0,500}[\p{L}\p{N}]/iu.test(html)) reading.problems.add(otherOrder);
  if (/<style\b[^<]*\bline-through\b/i.test(html)) reading.problems.add('its style sheet strikes text out');
  const root: Element = { tag: '', holdsBlocks: false, children: convertAll(children, reading) };
  settleRuns(root, reading.problems);
  markBlocks(root);
  const [problem = null] = reading.problems;
  return { root, problem };
}

const otherOrder = 'its text is shown in another order than it is written';
const changesMeaning = /<(?:del|s|strike|su[bp]|img|math|svg|bdo)\b|\bstyle\s*=/i;

const convertAll = (nodes: readonly HtmlNode[], reading: Reading): Node[] =>
  nodes.flatMap(node => convert(node, reading));

function convert(node: HtmlNode, reading: Reading): Node[] {
  if (typeof node === 'string') return [cased(node, reading.letters)];
  const style = styleMeaning(node);
  if (style.struck || deletions.has(node.name) || style.hidden || node.attributes.has('hidden'))
    return emptied(node, style);
  if (style.reordered) reading.problems.add(otherOrder);
  const rule = rules.get(node.name);
  const inner = { ...reading, letters: style.letters ?? reading.letters, depth: reading.depth + (rule ? 1 : 0) };
  if (inner.depth > maxDepth && rule && (structure.has(node.name) || blocks.has(node.name))) return flat(node, inner);
  if (style.raised && (!rule || rule === emphasis || rule === strong)) return raised(style.raised)(node, inner);
  if (style.display === 'block' && (!rule || rule === emphasis || rule === strong)) return paragraph(node, inner);
  if (style.display === 'inline' && rule === paragraph) return convertAll(node.children, inner);
  return rule ? rule(node, inner) : convertAll(node.children, inner);
}

/** An element below `maxDepth`: its content, apart from what is around it when it is a block. */
function flat({ name, children }: HtmlElement, reading: Reading): Node[] {
  const border = () => (blocks.has(name) ? [element('p', [])] : []);
  return [...border(), ...convertAll(children, reading), ...border()];
}

/** A cell that is struck out keeps its place: without it the row would shift under other headers. */
function emptied({ name, attributes }: HtmlElement, { hidden }: StyleMeaning): Node[] {
  if ((name === 'td' || name === 'th') && !hidden) return [{ ...cell(name, attributes), children: [] }];
  return blocks.has(name) ? [element('p', [])] : [];
}

function cased(text: string, letters: StyleMeaning['letters']): string {
  if (letters === 'upper') return text.toUpperCase();
  return letters === 'lower' ? text.toLowerCase() : text;
}

const element = (tag: string, children: Node[], more: Partial<Element> = {}): Element => ({
  tag,
  holdsBlocks: false,
  children,
  ...more,
});

const as =
  (tag: string): Rule =>
  ({ children }, reading) => [element(tag, convertAll(children, reading))];
const nothing: Rule = () => [];
const empty =
  (tag: string): Rule =>
  () => [element(tag, [])];
const paragraph = as('p');
const emphasis = as('em');
const strong = as('strong');
const code = as('code');

const raised =
  (kind: 'sup' | 'sub'): Rule =>
  ({ children }, reading) => [element('#raised', convertAll(children, reading), { kind })];

const link: Rule = ({ attributes, children }, reading) => {
  // An anchor without `href` is a place, not a link.
  const href = attributes.has('href') ? reading.resolveLink(attributes.get('href') ?? '') : null;
  return [element('a', convertAll(children, reading), href === null ? {} : { href })];
};

const formula: Rule = (node, { problems }) => {
  const text = mathText(node);
  if (text === null) problems.add('it has a formula that cannot be written as text');
  return [text ?? ''];
};

const quotation: Rule = ({ children }, reading) => ['“', ...convertAll(children, reading), '”'];

const annotated: Rule = ({ children }, inner) => {
  const bracketed = children.some(child => typeof child !== 'string' && child.name === 'rp');
  return children.flatMap(child => {
    const text = convert(child, inner);
    return typeof child !== 'string' && child.name === 'rt' && !bracketed ? ['(', ...text, ')'] : text;
  });
};

const direction: Rule = ({ attributes, children }, inner) => {
  const text = convertAll(children, inner);
  if (/^rtl$/i.test(attributes.get('dir') ?? '') && /[\p{L}\p{N}]/u.test(text.map(textContent).join(''))) {
    inner.problems.add(otherOrder);
  }
  return text;
};

const checkable = new Map([
  ['checkbox', '☐'],
  ['radio', '○'],
]);

const field: Rule = ({ attributes }, inner) => {
  const type = attributes.get('type')?.toLowerCase() ?? 'text';
  if (type === 'image') return [pictureOf(attributes)];
  const mark = checkable.get(type);
  if (mark) return [attributes.has('checked') ? ({ '☐': '☑', '○': '◉' }[mark] ?? mark) : mark, ' '];
  if (/^(?:hidden|password|file|color|range)$/.test(type)) return [];
  return [cased(attributes.get('value') ?? '', inner.letters)];
};

const choice: Rule = ({ children }, inner) => {
  const options = children.flatMap(child =>
    typeof child !== 'string' && child.name === 'optgroup' ? child.children : [child],
  );
  const shown = options.filter((child): child is HtmlElement => typeof child !== 'string' && child.name === 'option');
  const chosen = shown.find(({ attributes }) => attributes.has('selected')) ?? shown[0];
  return chosen ? convertAll(chosen.children, inner) : [];
};

const dialog: Rule = (node, inner) => (node.attributes.has('open') ? paragraph(node, inner) : []);

const picture: Rule = ({ attributes }) => [pictureOf(attributes)];

const drawing: Rule = ({ attributes, children }) => {
  const title = children.find((child): child is HtmlElement => typeof child !== 'string' && child.name === 'title');
  const told = attributes.get('aria-label') ?? title?.children.filter(child => typeof child === 'string').join('');
  const alt = told ?? (drawnText(children).join(' ') || undefined);
  return [pictureOf(new Map([...attributes, ...(alt === undefined ? [] : ([['alt', alt]] as const))]))];
};

const list =
  (tag: 'ul' | 'ol'): Rule =>
  (node, inner) => [listOf(node, tag, styleMeaning(node).listMark, child => convert(child, inner))];

function cell(tag: string, attributes: ReadonlyMap<string, string>): Element {
  const span = (name: string) => {
    const written = attributes.get(name) ?? '';
    return /^[1-9]\d?$/.test(written) ? Number(written) : 1;
  };
  return element(tag, [], { columns: span('colspan'), rows: span('rowspan') });
}

const tableCell: Rule = ({ name, attributes, children }, inner) => [
  { ...cell(name, attributes), children: convertAll(children, inner) },
];

const preformatted: Rule = ({ children }, inner) => [element('pre', convertAll(children, inner))];

/** Element → its rule. An element that is not listed is replaced by its content. */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...names('script style template noscript title datalist noembed noframes', nothing),
  ...names('p div section article main aside header footer nav figure figcaption address center dl dt dd', paragraph),
  ...names('details summary caption fieldset form legend hgroup search', paragraph),
  ...names('b strong', strong),
  ...names('i em', emphasis),
  ...names('code tt samp kbd', code),
  ...names('h1 h2', as('h2')),
  ...names('h3', as('h3')),
  ...names('h4 h5 h6', as('h4')),
  ...names('blockquote', as('blockquote')),
  ...names('table', as('table')),
  ...names('thead', as('thead')),
  ...names('tbody tfoot', as('tbody')),
  ...names('tr', as('tr')),
  ...names('td th', tableCell),
  ...names('pre xmp listing plaintext', preformatted),
  ...names('br', empty('br')),
  ...names('hr', empty('hr')),
  ...names('ul menu dir', list('ul')),
  ...names('ol', list('ol')),
  ...names('li', as('li')),
  ...names('sup', raised('sup')),
  ...names('sub', raised('sub')),
  ...names('a', link),
  ...names('q', quotation),
  ...names('ruby', annotated),
  ...names('bdo', direction),
  ...names('math', formula),
  ...names('img image', picture),
  ...names('svg', drawing),
  ...names('input', field),
  ...names('select', choice),
  ...names('dialog', dialog),
]);

function names(written: string, rule: Rule): [string, Rule][] {
  return written.split(' ').map(name => [name, rule]);
}

/** Elements whose text is no longer part of the document. */
const deletions = new Set(['del', 's', 'strike']);
const structure = new Set('a b strong i em code tt samp kbd'.split(' '));
const blocks = new Set(
  `p div section article main aside header footer nav figure figcaption address center dl dt dd details summary caption h1 h2 h3 h4 h5 h6
   ul ol menu dir li blockquote pre xmp listing plaintext table thead tbody tfoot tr td th`.split(/\s+/),
);

function markBlocks(parent: Element): boolean {
  for (const child of parent.children) {
    if (typeof child === 'string') continue;
    if (markBlocks(child) || blockTags.has(child.tag)) parent.holdsBlocks = true;
  }
  return parent.holdsBlocks;
}
