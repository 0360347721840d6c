import type { Element } from './feed-tree.ts';
import type { HtmlElement } from './html-tree.ts';

const fileName =
  /^\S*\.(?:jpe?g|png|gif|webp|svg|bmp|tiff?)$|^(?:img|dsc|image|photo|picture|screenshot|icon|logo)[\s_-]*\d*$/i;

/** A picture by its alternative text. A file name is none. */
export function pictureOf(attributes: ReadonlyMap<string, string>): Element {
  const alt = (attributes.get('alt') ?? '').replace(/\s+/g, ' ').trim();
  const picture = { alt: fileName.test(alt) ? '' : alt, invisible: isPixel(attributes) };
  return { tag: '#picture', holdsBlocks: false, children: [], picture };
}

/** Whether a picture is declared no larger than a pixel in one direction, or not shown at all. */
export function isPixel(attributes: ReadonlyMap<string, string>): boolean {
  const style = attributes.get('style') ?? '';
  const sizes = ['width', 'height'].map(
    name =>
      attributes.get(name) ??
      // recheck-ignore: the blanks behind a name are read once
      new RegExp(`(?:^|[;\\s])${name}\\s*:\\s*(\\d+)(?:px)?\\s*(?:;|!|$)`, 'i').exec(style)?.[1],
  );
  return /display\s*:\s*none/i.test(style) || sizes.some(size => /^\s*[01](?:px)?\s*$/.test(size ?? ''));
}

/** What the text elements of a drawing show. */
export const drawnText = (children: HtmlElement['children'], isText = false): string[] =>
  children.flatMap(child => {
    if (typeof child === 'string') return isText && child.trim() !== '' ? [child.trim()] : [];
    return drawnText(child.children, isText || child.name === 'text');
  });
