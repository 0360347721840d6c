import type { HtmlElement } from './html-tree.ts';

/** What the style attribute of an element changes about its text. */
export interface StyleMeaning {
  struck: boolean;
  hidden: boolean;
  raised: 'sup' | 'sub' | null;
  /** `block`: apart from the text around it. `inline`: part of it, even where the element is a block otherwise. */
  display: 'block' | 'inline' | null;
  letters: 'upper' | 'lower' | null;
  /** Shown in another order than written. */
  reordered: boolean;
  listMark: string | null;
}

const plain: StyleMeaning = {
  struck: false,
  hidden: false,
  raised: null,
  display: null,
  letters: null,
  reordered: false,
  listMark: null,
};

/** Reads the declarations of `style` that change what a text says; all others are ignored. */
export function styleMeaning({ attributes }: HtmlElement): StyleMeaning {
  const written = attributes.get('style');
  if (written === undefined) return plain;
  const style = declarations(written);
  const display = style.get('display') ?? '';
  const value = (name: string) => style.get(name) ?? '';
  return {
    struck: /\bline-through\b/.test(`${value('text-decoration')} ${value('text-decoration-line')}`),
    hidden:
      display === 'none' ||
      /^(?:hidden|collapse)$/.test(value('visibility')) ||
      /^0(?:\.0+)?(?:[a-z]+|%)?$/.test(value('font-size')) ||
      /^0(?:\.0+)?%?$/.test(value('opacity')) ||
      value('color') === 'transparent',
    raised: raisedBy(style),
    display: /^(?:block|flex|grid|table|list-item|table-(?:row|cell|caption)|flow-root)$/.test(display)
      ? 'block'
      : display === 'inline'
        ? 'inline'
        : null,
    letters:
      value('text-transform') === 'uppercase' ? 'upper' : value('text-transform') === 'lowercase' ? 'lower' : null,
    reordered: /override/.test(value('unicode-bidi')) && value('direction') === 'rtl',
    listMark: style.get('list-style-type') ?? style.get('list-style') ?? null,
  };
}

function raisedBy(style: ReadonlyMap<string, string>): StyleMeaning['raised'] {
  const align = style.get('vertical-align') ?? '';
  const position = style.get('font-variant-position') ?? '';
  if (align === 'super' || position === 'super') return 'sup';
  if (align === 'sub' || position === 'sub') return 'sub';
  // A shift alone aligns icons; smaller text that is shifted is an index.
  if (!style.has('font-size')) return null;
  const shift = Number.parseFloat(align) || (style.get('position') === 'relative' ? shiftOf(style) : 0);
  return shift > 0 ? 'sup' : shift < 0 ? 'sub' : null;
}

/** Upwards; NaN for none. `top` wins over `bottom`. */
const shiftOf = (style: ReadonlyMap<string, string>): number =>
  -Number.parseFloat(style.get('top') ?? '') || Number.parseFloat(style.get('bottom') ?? '');

/** Property → value, in lower case; of two declarations the later one, or the important one. */
function declarations(style: string): Map<string, string> {
  const found = new Map<string, string>();
  const important = new Set<string>();
  for (const part of style
    .slice(0, 5_000)
    .replace(/\/\*[^*]*\*\//g, ' ')
    .toLowerCase()
    .split(';')) {
    const colon = part.indexOf(':');
    if (colon === -1) continue;
    const name = part.slice(0, colon).trim();
    const [value = '', mark] = part.slice(colon + 1).split('!');
    if (important.has(name) && mark === undefined) continue;
    if (mark !== undefined) important.add(name);
    found.set(name, value.trim());
  }
  return found;
}
