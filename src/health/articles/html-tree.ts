import { Parser } from 'htmlparser2';
import { stripControlCharacters } from './control-characters.ts';

/** An element of untrusted HTML as it was written; names are lower-case and without a namespace prefix. */
export interface HtmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: HtmlNode[];
}

export type HtmlNode = HtmlElement | string;

// Pages of news sites nest some 30 deep.
const maxDepth = 1_000;
// An article has at most 200,000 characters; beyond five times as many, nothing of it could be kept.
const maxTextLength = 1_000_000;
const maxElements = 200_000;

class TooMuch extends Error {}

/** `flattened`: the document nests too deep, and only its text was kept. */
export interface HtmlDocument {
  children: HtmlNode[];
  flattened: boolean;
}

/**
 * Parses HTML into a tree, without recursion. Tags that XML tools write empty (`<script/>`, `<textarea/>`) end where they begin: HTML
 * would take the rest of the document for their content. Text beyond a million characters is not read.
 */
export function parseHtml(html: string): HtmlDocument {
  const source = html.replace(emptyRawText, '$&</$1>');
  const deep = readTree(source);
  return deep ? { children: deep, flattened: false } : { children: [textOfTags(source)], flattened: true };
}

const emptyRawText =
  /<(script|style|title|textarea|iframe|xmp|noembed|noframes|noscript|template|svg|math|select|button|object|video|audio|canvas|del|ins|s|strike|sup|sub)(?:\s[^<>]*)?\/>/gi;

/** Null for a document that nests deeper than `maxDepth`: the time of the parser is quadratic in the depth. */
function readTree(html: string): HtmlNode[] | null {
  const root: HtmlElement = { name: '', attributes: new Map(), children: [] };
  const open = [root];
  const left = { text: maxTextLength, elements: maxElements };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length > maxDepth) throw new TooMuch();
        const element: HtmlElement = {
          name: localName(name),
          attributes: new Map(Object.entries(attributes)),
          children: [],
        };
        if (left.elements-- > 0) open.at(-1)?.children.push(element);
        open.push(element);
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
      ontext(text) {
        const parent = open.at(-1);
        if (left.text > 0) parent?.children.push(stripControlCharacters(text));
        left.text -= text.length;
      },
    },
    { lowerCaseAttributeNames: true, lowerCaseTags: true },
  );
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return null;
  }
  return root.children;
}

function textOfTags(html: string): string {
  return stripControlCharacters(html.replace(/<[^<>]*>/g, ' ').slice(0, maxTextLength));
}

const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1);
