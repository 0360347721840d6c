/** An element of sanitized HTML. `holdsBlocks`: it has a block element among its descendants. */
export interface Element {
  tag: string;
  holdsBlocks: boolean;
  children: Node[];
  href?: string;
  start?: string;
  columns?: number;
  rows?: number;
}

export type Node = Element | string;

const token = /<(\/?)([a-z][a-z0-9]*)(?![a-z0-9])([^<>]*)>|[^<]+/g;
const voidTags = new Set(['br', 'hr']);

export const blockTags: ReadonlySet<string> = new Set(
  'p h2 h3 h4 ul ol li blockquote pre hr table thead tbody tr th td'.split(' '),
);

/** Parses the output of `sanitizeHtml`, in which every `<`, `>` and `"` of texts and attributes is an entity. */
export function parseHtmlTree(sanitised: string): Element {
  const root: Element = { tag: '', holdsBlocks: false, children: [] };
  const open: Element[] = [root];
  for (const [whole, slash, tag, attributes = ''] of sanitised.matchAll(token)) {
    const parent = open.at(-1) ?? root;
    if (tag === undefined) parent.children.push(decodeEntities(whole));
    else if (slash) {
      if (open.length > 1) open.pop();
    } else {
      const element = elementOf(tag, attributes);
      if (blockTags.has(tag)) for (const ancestor of open) ancestor.holdsBlocks = true;
      parent.children.push(element);
      if (!voidTags.has(tag)) open.push(element);
    }
  }
  return root;
}

function elementOf(tag: string, written: string): Element {
  const element: Element = { tag, holdsBlocks: false, children: [] };
  for (const [, name, value = ''] of written.matchAll(/(?<![a-z])([a-z]+)="([^"]*)"/g)) {
    if (name === 'href') element.href = decodeEntities(value);
    if (name === 'start') element.start = value;
    if (name === 'colspan') element.columns = Number(value);
    if (name === 'rowspan') element.rows = Number(value);
  }
  return element;
}

/** Decodes the entities that sanitize-html writes. */
export function decodeEntities(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}

/** Text content of a node; `br` becomes a line break. */
export function textContent(node: Node): string {
  if (typeof node === 'string') return node;
  return node.tag === 'br' ? '\n' : node.children.map(textContent).join('');
}
