import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  buildToken,
  hashToken,
  mintToken,
  parseTokenKind,
  type TokenKind,
  tokenPrefixes,
} from '../../src/auth/hosting-token.ts';

const kinds = Object.keys(tokenPrefixes) as TokenKind[];

describe.each(kinds)('a token of the kind %s', kind => {
  test('is recognised by its format, and stored as SHA-256', () => {
    const { text, record } = mintToken(kind);
    expect(parseTokenKind(text)).toBe(kind);
    expect(text.startsWith(`${tokenPrefixes[kind]}_`)).toBe(true);
    expect(record.hash.toString('base64url')).toBe(hashToken(text));
    expect(text.endsWith(record.lastEight)).toBe(true);
  });

  test('is rejected with any one character changed, removed or added', () => {
    const { text } = mintToken(kind);
    const places = fc.nat(text.length - 1);
    const letter = fc.constantFrom(...'09AZaz_-. é');
    fc.assert(
      fc.property(places, letter, (at, other) => {
        const changed = [
          text.slice(0, at) + other + text.slice(at + 1),
          text.slice(0, at) + text.slice(at + 1),
          text.slice(0, at) + other + text.slice(at),
        ].filter(one => one !== text);
        return changed.every(one => parseTokenKind(one) === undefined);
      }),
      { numRuns: 300 },
    );
  });

  test('is rejected with the prefix of another kind', () => {
    const { text } = mintToken(kind);
    const rest = text.slice(tokenPrefixes[kind].length);
    for (const other of kinds.filter(one => one !== kind))
      expect(parseTokenKind(tokenPrefixes[other] + rest)).toBeUndefined();
  });
});

test('no two are equal, and every character of the alphabet occurs', () => {
  const random = Array.from({ length: 1000 }, () => mintToken('classic').text.slice(6, 42));
  expect(new Set(random).size).toBe(1000);
  expect(new Set(random.join('')).size).toBe(62);
});

test('the checksum does not change between releases', () => {
  expect(buildToken('classic', 'A'.repeat(36)).text).toMatchInlineSnapshot(
    `"hostp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA2zQO7h"`,
  );
});

test.each(['', ' ', 'hostp_', 'x'.repeat(100_000), 'hostp_'.repeat(20_000), 'eyJhbGciOiJIUzI1NiJ9.e30.x'])(
  '%j is none',
  text => {
    expect(parseTokenKind(text.slice(0, 100_000))).toBeUndefined();
  },
);
