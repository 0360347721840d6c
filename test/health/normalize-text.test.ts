import { expect, test } from '@jest/globals';
import { foldText } from 'triage/signs/fold-text';
import { normalizeText } from 'triage/text/normalize-text';
import { categorySlug } from '../../src/health/articles/feed-text.ts';
import { wordsOf } from '../../src/health/vocabulary/vocabulary.ts';
import { InvalidMailAddressError, parseMailAddress } from '../../src/mail/mail-address.ts';

// Marks of two classes, which normalization reorders: 400,000 of them take longer than a test may.
const marks = '\u0323\u0301\u0591\u05b0'.repeat(100_000);

test('runs of combining marks are limited before they are sorted', () => {
  expect(normalizeText(`e a${'\u0301'.repeat(30)}b`, 'NFKD')).toBe(`e a${'\u0301'.repeat(30)}b`);
  expect(normalizeText(`a${marks}b`, 'NFKD')).toHaveLength(32);
  expect(foldText(`Caf${marks}e noir`).length).toBeGreaterThan(0);
  expect(wordsOf(`Sleep${marks} well`)).toContain('well');
  expect(categorySlug(`Heart${marks}`)).toMatch(/^heart/);
});

test('words with accents are folded as before', () => {
  expect(foldText('Crème brûlée').map(({ text }) => text)).toEqual(['creme', 'brulee']);
  expect(wordsOf('Sjögren’s')).toEqual(['sjogrens']);
});

test('a domain is refused before it is converted when it is too long for one', () => {
  expect(() => parseMailAddress(`a@${'語'.repeat(100_000)}.example`)).toThrow(InvalidMailAddressError);
  expect(parseMailAddress('a@bücher.example')).toBe('a@xn--bcher-kva.example');
});
