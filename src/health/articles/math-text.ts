import type { HtmlElement, HtmlNode } from './html-tree.ts';
import { raisedText } from './raised-text.ts';

/** A formula that has no form as text. */
class Unwritable extends Error {}

/** MathML as text, such as `5×10⁻³` or `(a+b)/2`; its `alttext` where that is impossible, null without one. */
export function mathText(math: HtmlElement): string | null {
  try {
    return sequence(math.children).replace(/\s+/g, ' ').trim();
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    return math.attributes.get('alttext')?.trim() || null;
  }
}

// Function application, invisible times, separator and plus.
const invisible = /[\u2061-\u2064]/g;

/** Two numbers next to each other, as in `2 1/2`, stay two. */
function sequence(nodes: readonly HtmlNode[]): string {
  let text = '';
  for (const node of nodes) {
    const part = textOf(node);
    text += /\d$/.test(text) && /^\d/.test(part) ? ` ${part}` : part;
  }
  return text;
}

function textOf(node: HtmlNode): string {
  if (typeof node === 'string') return node.replace(/\s+/g, ' ').replace(invisible, '').trim();
  const { name, attributes, children } = node;
  const parts = children.filter((child): child is HtmlElement => typeof child !== 'string');
  const part = (at: number) => (parts[at] ? textOf(parts[at]) : '');
  switch (name) {
    case 'math':
    case 'mrow':
    case 'mstyle':
    case 'mpadded':
    case 'mi':
    case 'mn':
    case 'mtext':
    case 'ms':
    case 'none':
    case 'a':
    case 'span':
      return sequence(children);
    case 'mo':
      return operator(sequence(children));
    case 'mspace':
      return ' ';
    case 'mphantom':
    case 'annotation':
    case 'annotation-xml':
      return '';
    case 'semantics':
    case 'maction':
      return part(0);
    case 'mfrac':
      if (/^0/.test(attributes.get('linethickness') ?? '')) throw new Unwritable();
      return `${grouped(part(0))}/${grouped(part(1))}`;
    case 'msqrt':
      return `√${grouped(sequence(children))}`;
    case 'mroot':
      return `${raise(part(1), 'sup', '')}√${grouped(part(0))}`;
    case 'msup':
      return base(part(0)) + raise(part(1), 'sup', part(0));
    case 'msub':
    case 'munder':
      return base(part(0)) + raise(part(1), 'sub', part(0));
    case 'msubsup':
    case 'munderover':
      return base(part(0)) + raise(part(1), 'sub', part(0)) + raise(part(2), 'sup', part(0));
    case 'mover':
      return over(part(0), part(1));
    case 'mfenced':
      return fenced(parts.map(textOf), attributes);
    default:
      throw new Unwritable();
  }
}

// Words such as "mod" and relations are read with blanks around them.
const operator = (text: string): string => (/^(?:\p{L}{2,}|[=<>≤≥≈→])$/u.test(text) ? ` ${text} ` : text);

const raise = (text: string, kind: 'sup' | 'sub', before: string): string =>
  text.trim() === '' ? '' : raisedText(text, { kind, before: before.slice(-1), after: '0' });

/** An expression as the base of an exponent. */
const base = (text: string): string =>
  /^[\p{L}\p{N}.,∑∏∫%]*$/u.test(text) || /^\(.*\)$/.test(text) ? text : `(${text})`;

const grouped = (text: string): string => (/^[\p{L}\p{N}.,⁰-⁹²³¹₀-₉]*$/u.test(text) ? text : `(${text})`);

function over(text: string, mark: string): string {
  // A line over digits is a recurring decimal, over a letter a mean.
  if (/^[¯‾ˉ―—–_-]$/u.test(mark)) return [...text].map(character => `${character}\u0305`).join('');
  if (mark === '') return text;
  throw new Unwritable();
}

function fenced(parts: string[], attributes: ReadonlyMap<string, string>): string {
  const separators = [...(attributes.get('separators') ?? ',').replace(/\s/g, '')];
  const inside = parts.map((part, at) =>
    at === 0 ? part : (separators[Math.min(at, separators.length) - 1] ?? '') + part,
  );
  return (attributes.get('open') ?? '(') + inside.join('') + (attributes.get('close') ?? ')');
}
