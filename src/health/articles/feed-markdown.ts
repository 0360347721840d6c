import { formatTable } from './feed-table.ts';
import { blockTags, decodeEntities, type Element, type Node, textContent } from './feed-tree.ts';

type RenderInline = (line: string) => string;

/** Markup that a rendering attempt uses; the last attempt uses none and always succeeds. */
interface Markup {
  emphasis: boolean;
  links: boolean;
}

/**
 * Converts the tree of `readHtml` (allow-listed, at most 40 levels deep) to Markdown.
 * Not turndown: it needs a DOM, recurses with the depth of the document, supports tables only by a plugin, and writes
 * `**a:**b`, which CommonMark does not parse as bold. Here each inline run is rendered back by `renderInline`, and a
 * run whose text does not survive is written with less markup.
 */
export function markdownOf(root: Element, renderInline: RenderInline): string {
  return joined(blocksOf(root, renderInline));
}

function blocksOf(parent: Element, render: RenderInline): string[] {
  // Nested arrays, flattened at the end: `push(...blocks)` overflows the stack at about 100,000 blocks.
  const blocks: string[][] = [];
  let run: Node[] = [];
  for (const node of parent.children) {
    if (typeof node === 'string' || !(node.holdsBlocks || blockTags.has(node.tag))) run.push(node);
    else {
      blocks.push(paragraphsOf(run, render), blocksFrom(node, render));
      run = [];
    }
  }
  blocks.push(paragraphsOf(run, render));
  return blocks.flat();
}

function blocksFrom(element: Element, render: RenderInline): string[] {
  switch (element.tag) {
    case 'h2':
    case 'h3':
    case 'h4':
      return heading(element, render);
    case 'ul':
    case 'ol':
      return list(element, render);
    case 'blockquote':
      return quote(joined(blocksOf(element, render)));
    case 'pre':
      return fence(textContent(element));
    case 'hr':
      // Not `---`: after `- ` in a list it would be a thematic break of its own, and below a line a setext heading.
      return ['***'];
    case 'table':
      return formatTable(
        element,
        part => blocksOf(part, render),
        part => oneLine(part.children, render),
      );
    default:
      // A paragraph, a list item outside a list, or an inline element around blocks: use its children.
      return blocksOf(element, render);
  }
}

function heading({ tag, children }: Element, render: RenderInline): string[] {
  // A trailing `#` would be parsed as the closing sequence of the heading.
  const text = oneLine(children, render).replace(/(^|\s)(#+)$/, '$1\\$2');
  return text === '' ? [] : [`${'#'.repeat(Number(tag.charAt(1)))} ${text}`];
}

function quote(content: string): string[] {
  return content === '' ? [] : [content.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>')];
}

function fence(code: string): string[] {
  const text = code.replace(/^\n+/, '').trimEnd();
  if (text === '') return [];
  const marks = '`'.repeat(Math.max(2, maxBacktickRun(text)) + 1);
  return [`${marks}\n${text}\n${marks}`];
}

function maxBacktickRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function list({ tag, start, children }: Element, render: RenderInline): string[] {
  const items: string[][] = [];
  for (const child of children) {
    if (typeof child === 'string' && child.trim() === '') continue;
    const wrapped: Element = typeof child === 'string' ? { tag: 'li', holdsBlocks: false, children: [child] } : child;
    const nested = wrapped.tag === 'ul' || wrapped.tag === 'ol';
    const content = nested ? list(wrapped, render) : blocksOf(wrapped, render);
    // A list directly inside a list belongs to the preceding item, as browsers display it.
    if (nested && items.length > 0) items.push([...(items.pop() ?? []), ...content]);
    else if (content.length > 0) items.push(content);
  }
  if (items.length === 0) return [];
  const tight = items.every(([, ...rest]) => rest.every(block => /^(- |1\. )/.test(block)));
  const written = items.map((blocks, index) => {
    const mark = tag === 'ol' ? `${(start ?? 1) + index}. ` : '- ';
    return mark + (tight ? joined(blocks, '\n') : joined(blocks)).replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);
  });
  return [written.join(tight ? '\n' : '\n\n')];
}

/** Joins blocks. Consecutive lists would be merged by Markdown, so every second one gets another marker. */
function joined(blocks: string[], between = '\n\n'): string {
  let before = '';
  return blocks
    .map(block => {
      let apart = block;
      if (/^- /.test(before) && /^- /.test(block)) apart = block.replace(/^- /gm, '+ ');
      else if (/^\d+\. /.test(before) && /^\d+\. /.test(block)) apart = block.replace(/^(\d+)\. /gm, '$1) ');
      before = apart;
      return apart;
    })
    .join(between);
}

const markupLevels: Markup[] = [
  { emphasis: true, links: true },
  { emphasis: false, links: true },
  { emphasis: false, links: false },
];

/** An inline run as paragraphs; many editors end a paragraph with `<br><br>`. */
function paragraphsOf(nodes: Node[], render: RenderInline): string[] {
  const plain = nodes.every(node => typeof node === 'string' || node.tag === 'br');
  const expected = withoutWhitespace(nodes.map(textContent).join(''));
  if (expected === '') return [];
  for (const markup of plain ? markupLevels.slice(2) : markupLevels) {
    const paragraphs = inline(nodes, markup)
      .split(/\n\s*\n/)
      .map(escapeLineStarts)
      .filter(paragraph => paragraph !== '');
    if (markup.links === false || withoutWhitespace(textOfHtml(paragraphs.map(render).join(''))) === expected)
      return paragraphs;
  }
  return [];
}

/** A heading or table cell, where line breaks become spaces. */
function oneLine(nodes: Node[], render: RenderInline): string {
  const expected = withoutWhitespace(nodes.map(textContent).join(''));
  for (const markup of markupLevels) {
    const line = inline(nodes, markup).replace(/\s+/g, ' ').trim();
    if (markup.links === false || withoutWhitespace(textOfHtml(render(line))) === expected) return line;
  }
  return '';
}

const withoutWhitespace = (text: string): string => text.replace(/\s+/g, '');

const textOfHtml = (rendered: string): string => decodeEntities(rendered.replace(/<[^<>]*>/g, ''));

/** The lines of a paragraph, each escaped so that it does not start another block. */
function escapeLineStarts(paragraph: string): string {
  return paragraph
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => line.replace(/^[-+>#=|:~]/, '\\$&').replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2'))
    .join('\\\n');
}

function inline(nodes: Node[], markup: Markup): string {
  return nodes.map(node => (typeof node === 'string' ? escapeText(node) : inlineFrom(node, markup))).join('');
}

function inlineFrom(element: Element, markup: Markup): string {
  const content = () => inline(element.children, markup);
  switch (element.tag) {
    case 'br':
      return '\n';
    case 'strong':
      return markup.emphasis ? wrapTrimmed('**', content()) : content();
    case 'em':
      return markup.emphasis ? wrapTrimmed('*', content()) : content();
    case 'code':
      return markup.links ? code(textContent(element)) : content();
    case 'a':
      return markup.links && element.href
        ? link(inline(element.children, { ...markup, links: false }), element.href)
        : content();
    default:
      return blockTags.has(element.tag) ? ` ${content()} ` : content();
  }
}

/** Keeps white space outside the markers: `** bold**` is not bold. */
function wrapTrimmed(mark: string, content: string, end = mark): string {
  const core = content.trim();
  if (core === '') return content;
  const [before = '', after = ''] = [content.slice(0, content.indexOf(core)), content.slice(content.trimEnd().length)];
  return before + mark + core + end + after;
}

function code(text: string): string {
  const content = text.replace(/\s+/g, ' ').trim();
  if (content === '') return ' ';
  const marks = '`'.repeat(maxBacktickRun(content) + 1);
  const space = /^`|`$/.test(content) ? ' ' : '';
  return `${marks}${space}${content}${space}${marks}`;
}

function link(text: string, href: string): string {
  // Percent-encodes characters that end the URL or start an escape or entity.
  const address = href
    .replace(/[()<>\\\s`]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/&(?=#?\w+;)/g, '&amp;');
  return wrapTrimmed('[', text.replace(/\n/g, ' '), `](${address})`);
}

function escapeText(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<]/g, '\\$&')
    .replace(/&(?=#?\w+;)|~(?=~)|!$/g, '\\$&');
}
