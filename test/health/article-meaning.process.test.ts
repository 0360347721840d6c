import { existsSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import { array, assert, asyncProperty, constantFrom, letrec, oneof, record } from 'fast-check';
import { type Browser, chromium } from 'playwright-core';
import { readArticleHtml } from '../../src/health/articles/article-body.ts';

/** Debian's package `chromium`. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
let started: Promise<Browser> | undefined;
const browser = (): Promise<Browser> => {
  // A sandbox of Chromium needs rights that root in a container lacks.
  started ??= chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox', '--disable-gpu'] });
  return started;
};
afterAll(async () => {
  if (started) await (await started).close();
});

/**
 * What a reader sees in a browser, letter by letter: struck text left out, what is raised between marks. Decided by computed styles, of
 * which the reader of feeds knows nothing.
 */
function seen(html: string): string {
  const page = document.body;
  page.innerHTML = html;
  const isStruck = (node: Element | null): boolean =>
    node !== null &&
    node !== page &&
    (getComputedStyle(node).textDecorationLine.includes('line-through') || isStruck(node.parentElement));
  let text = '';
  const walk = (node: Node) => {
    if (node instanceof Text) {
      const parent = node.parentElement;
      if (parent && !isStruck(parent)) text += node.data;
      return;
    }
    if (!(node instanceof HTMLElement)) return;
    const style = getComputedStyle(node);
    if (style.display === 'none' || style.visibility === 'hidden') return;
    if (node instanceof HTMLImageElement) {
      if (!isStruck(node)) text += node.alt;
      return;
    }
    const raised = { super: '⟨', sub: '⟦' }[style.verticalAlign] ?? '';
    if (raised && !isStruck(node)) text += raised;
    const isQuote = node.localName === 'q' && !isStruck(node);
    if (isQuote) text += '“';
    for (const child of node.childNodes) walk(child);
    if (isQuote) text += '”';
    if (raised && !isStruck(node)) text += '⟩';
  };
  for (const child of page.childNodes) walk(child);
  return text;
}

const raisedDigits: ReadonlyMap<string, string> = new Map([
  ...[...'0123456789'].map((digit, at): [string, string] => [digit, '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(at)]),
]);
const loweredDigits: ReadonlyMap<string, string> = new Map([
  ...[...'0123456789'].map((digit, at): [string, string] => [digit, '₀₁₂₃₄₅₆₇₈₉'.charAt(at)]),
]);

/** The marks of `seen` as the characters that text has for them. */
const written = (text: string): string =>
  text
    .replace(/⟨\s*(\d*)\s*⟩/g, (_, digits: string) =>
      [...digits].map(digit => raisedDigits.get(digit) ?? digit).join(''),
    )
    .replace(/⟦\s*(\d*)\s*⟩/g, (_, digits: string) =>
      [...digits].map(digit => loweredDigits.get(digit) ?? digit).join(''),
    )
    .replace(/[\s\u00A0]+/g, '');

const words = constantFrom(
  'Take ',
  '500',
  '50',
  ' mg',
  ' µg ',
  'twice a day',
  '1',
  '0',
  ' < ',
  '&amp;',
  '&nbsp;',
  '½',
  ' ',
);
const wrappers = constantFrom(
  ['<b>', '</b>'],
  ['<i>', '</i>'],
  ['<span>', '</span>'],
  ['<del>', '</del>'],
  ['<ins>', '</ins>'],
  ['<s>', '</s>'],
  ['<strike>', '</strike>'],
  ['<u>', '</u>'],
  ['<small>', '</small>'],
  ['<mark>', '</mark>'],
  ['<q>', '</q>'],
  ['<a href="/x">', '</a>'],
  ['<font color="red">', '</font>'],
  ['<span style="text-decoration:line-through">', '</span>'],
  ['<span style="text-decoration: underline line-through red">', '</span>'],
  ['<span style="text-decoration:line-through;text-decoration:none">', '</span>'],
  ['<span style="display:none">', '</span>'],
  ['<span style="visibility:hidden">', '</span>'],
  ['<span hidden>', '</span>'],
);
const blocks = constantFrom(
  ['<p>', '</p>'],
  ['<div>', '</div>'],
  ['<h3>', '</h3>'],
  ['<blockquote>', '</blockquote>'],
  ['<p style="text-decoration:line-through">', '</p>'],
  ['<ul><li>', '</li></ul>'],
  ['<table><tr><td>', '</td></tr></table>'],
);
const atoms = constantFrom(
  '<sup>2</sup>',
  '<sup>12</sup>',
  '<sub>2</sub>',
  '<span style="vertical-align:super">3</span>',
  '<span style="vertical-align:sub">3</span>',
  // A picture that stands alone is in the body and not in the summary.
  '5<img alt="µ">g',
  '5<img alt="½"> ',
  '<br>',
  '<wbr>',
  '<!-- 7 -->',
  '<script>7</script>',
  '<style>p{}</style>',
);
const { inline } = letrec<{ inline: string }>(tie => ({
  inline: oneof(
    { maxDepth: 3 },
    words,
    atoms,
    record({ around: wrappers, inside: array(tie('inline'), { minLength: 1, maxLength: 3 }) }).map(
      ({ around: [open, close], inside }) => `${open}${inside.join('')}${close}`,
    ),
  ),
}));
const documents = array(
  record({ around: blocks, inside: array(inline, { minLength: 1, maxLength: 5 }) }).map(
    ({ around: [open, close], inside }) => `${open}${inside.join('')}${close}`,
  ),
  { minLength: 1, maxLength: 4 },
).map(parts => parts.join(''));

(executablePath ? test : test.skip)(
  'the text of an article is what a browser shows of its HTML, letter by letter',
  async () => {
    const page = await (await browser()).newPage();
    await page.setContent('<!doctype html><body></body>');
    await assert(
      asyncProperty(documents, async html => {
        const { text, problem } = readArticleHtml(html);
        expect(problem).toBeNull();
        expect(text.replaceAll('•', '').replace(/\s+/g, '')).toBe(written(await page.evaluate(seen, html)));
      }),
      { numRuns: 500 },
    );
  },
  120_000,
);
