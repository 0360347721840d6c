import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classifyByRules } from 'triage/signs/classify-by-rules';
import { truncate } from '../../src/health/articles/feed-text.ts';
import { parseHtml } from '../../src/health/articles/html-tree.ts';
import { markdownToText } from '../../src/health/companion/retrieval/article-sections.ts';

/** Texts of a length for which the quadratic patterns that these functions had take longer than a test may. */
const length = 500_000;

describe('Markdown as plain text', () => {
  test.each(['![', '[a', '[](', '![a](', '<', '\n', ' \n', '; ', '- ', '> '])('of many %j', part => {
    expect(typeof markdownToText(part.repeat(length))).toBe('string');
  });

  test('links, images, lists, quotes and headings', () => {
    const text = [
      '# Heading',
      'See [the *guide*](https://a.example/b_(c)) and ![a picture](x.png).',
      '',
      '  - one',
      '2. two',
      '> said <b>so</b>',
    ].join('\n');
    expect(markdownToText(text)).toBe('See the guide and . one; two said so');
  });
});

test('elements and attributes without an end', () => {
  expect(parseHtml(`<${'a'.repeat(length)}`).children).toEqual([]);
  expect(parseHtml(`<p ${'a'.repeat(length)}>b</p>`).children).toMatchObject([{ name: 'p', children: ['b'] }]);
  expect(parseHtml('<a href="x&amp;y">b</a>').children).toMatchObject([
    { name: 'a', attributes: new Map([['href', 'x&y']]) },
  ]);
});

test('punctuation at the end of a truncated text', () => {
  expect(truncate(`a${' ,'.repeat(length)}b c`, 2 * length)).toBe('a…');
});

test('clauses are split at dashes and conjunctions as before', () => {
  const before =
    /(?<=[.!?\n;])\s+|\s+[-–—]+\s+|,?\s+(?:but|and now|and i|and he|and she|although|though|however|while|because now)\b\s*(?=\S)/iu;
  const now =
    /(?<=[.!?\n;])\s+|(?<!\s)\s+[-–—]+\s+|(?:,|(?<!\s))\s+(?:but|and now|and i|and he|and she|although|though|however|while|because now)\b\s*(?=\S)/iu;
  const part = fc.constantFrom(' ', '\n', ',', '.', '-', ' - ', 'a', 'but', ' but ', ', and i ', '–');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), parts => {
      expect(parts.join('').split(now)).toEqual(parts.join('').split(before));
    }),
    { numRuns: 5_000 },
  );
  expect(classifyByRules(`I feel fine${' '.repeat(7_000)}today`).classification.level).toBe('none');
});
