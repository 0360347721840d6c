/** An element an article may have; a tag of '' is no element, only its children. */
export interface Element {
  tag: string;
  /** It has a block element among its descendants. */
  holdsBlocks: boolean;
  children: Node[];
  href?: string;
  /** Number of the first item of an `ol`. */
  start?: number;
  columns?: number;
  rows?: number;
  /** A superscript or subscript; `settleRuns` makes text of it. */
  kind?: 'sup' | 'sub';
  picture?: Picture;
}

/** A picture in the text; `settleRuns` makes text of it. */
export interface Picture {
  alt: string;
  /** It is no larger than a pixel, which is there to count readers. */
  invisible: boolean;
  /** It stands alone, so its text is no part of a sentence. */
  alone?: boolean;
}

export type Node = Element | string;

export const blockTags: ReadonlySet<string> = new Set(
  'p h2 h3 h4 ul ol li blockquote pre hr table thead tbody tr th td'.split(' '),
);

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
