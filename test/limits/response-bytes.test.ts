import { expect, test } from '@jest/globals';
import { remainingBytes } from '../../src/limits/response-bytes.ts';

const size = 1_000_000;

test.each([
  ['letters', 'a'],
  ['control characters, which are written as six bytes', '\u0001'],
  ['other control characters', '\u000b'],
  ['characters of three bytes', '界'],
  ['characters of four bytes', '😀'],
])('long texts count as they are written: %s', (_what, character) => {
  const value = { nodes: [{ text: character.repeat(size) }, { text: 'b' }] };
  const written = Buffer.byteLength(JSON.stringify(value));
  const counted = Number.MAX_SAFE_INTEGER - remainingBytes(value, Number.MAX_SAFE_INTEGER);
  expect(Math.abs(counted - written) / written).toBeLessThan(0.001);
});

test('line ends and characters of short strings count one byte each', () => {
  const counted = (text: string): number => 10_000 - remainingBytes(text, 10_000);
  expect(counted('\n'.repeat(2_000))).toBe(2_004);
  expect(counted('\u0001'.repeat(100))).toBe(104);
});

test('counting stops as soon as no bytes are left', () => {
  expect(remainingBytes(['\u0001'.repeat(2_000), 'a'], 10_000)).toBeLessThan(0);
});
