import { describe, expect, test } from '@jest/globals';
import { compileWildcard } from '../../../src/git/wildcard-pattern.ts';
import { expressionError, satisfiesPattern } from '../../../src/hosting/rules/text-pattern.ts';

describe('ref and path patterns', () => {
  test.each<[pattern: string, yes: string[], no: string[]]>([
    [
      'refs/heads/main',
      ['refs/heads/main'],
      ['refs/heads/main2', 'refs/heads/mai', 'refs/heads/main/a', 'x/refs/heads/main'],
    ],
    ['refs/heads/*', ['refs/heads/a', 'refs/heads/', 'refs/heads/.a'], ['refs/heads/a/b', 'refs/tags/a']],
    ['refs/heads/**', ['refs/heads/a'], ['refs/heads/a/b']],
    ['refs/heads/**/*', ['refs/heads/a', 'refs/heads/a/b', 'refs/heads/a/b/c'], ['refs/heads', 'refs/tags/a']],
    ['refs/heads/release/**/*', ['refs/heads/release/1', 'refs/heads/release/1/2'], ['refs/heads/release']],
    ['refs/heads/a**/b', ['refs/heads/a/b', 'refs/heads/ax/b'], ['refs/heads/a/x/b']],
    ['refs/heads/***/b', ['refs/heads/a/b'], ['refs/heads/b', 'refs/heads/a/x/b']],
    ['**/*.pem', ['a.pem', 'a/b.pem', '.a/.b.pem', '.pem'], ['a.pem/x']],
    ['*.pem', ['a.pem', '.pem'], ['a/b.pem']],
    ['a/**/b/**/c', ['a/b/c', 'a/x/y/b/z/c'], ['a/b/d', 'b/c']],
    ['a?c', ['abc', 'aüc', 'a😀c'], ['ac', 'a/c', 'abbc']],
    ['v[0-9].[!0]', ['v1.1', 'v9.x'], ['v1.0', 'va.1', 'v1./']],
    ['v[^a-c]', ['vd', 'v-'], ['va', 'v/']],
    ['[]a]', [']', 'a'], ['b']],
    ['[a-]', ['a', '-'], ['b']],
    ['[+-9]', ['+', '.', '0', '9'], ['/']],
    ['[z-a]', [], ['z', 'a', '']],
    ['[\\]]', [']'], ['\\']],
    ['\\*', ['*'], ['a', '\\*']],
    ['a\\', ['a\\'], ['a']],
    ['{a,b}', ['{a,b}'], ['a', 'b']],
    ['@(a|b)+', ['@(a|b)+'], ['a', '@a']],
    ['!a', ['!a'], ['b']],
    ['^a$.(b)|c', ['^a$.(b)|c'], ['a', 'c']],
    ['a\nb*', ['a\nb', 'a\nb\nc'], ['a']],
    ['', [''], ['a']],
  ])('%j', (pattern, yes, no) => {
    const matches = compileWildcard(pattern);
    expect(yes.filter(text => !matches?.(text))).toEqual([]);
    expect(no.filter(text => matches?.(text))).toEqual([]);
  });

  test.each(['[', '[]', '[a', '[!]', 'a[b\\]', '[a-'])('%j is invalid', pattern => {
    expect(compileWildcard(pattern)).toBeUndefined();
  });

  test('are case-sensitive unless ignoreCase is set', () => {
    expect(compileWildcard('Compass*')?.('compass-2')).toBe(false);
    expect(compileWildcard('Compass*', { ignoreCase: true })?.('compass-2')).toBe(true);
  });

  test('with many stars take no time', () => {
    const matches = compileWildcard(`${'*a'.repeat(250)}b`);
    const started = performance.now();
    for (let turn = 0; turn < 20; turn++) expect(matches?.('a'.repeat(4000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('text patterns', () => {
  test.each<['starts_with' | 'ends_with' | 'contains' | 'regex', string, string, boolean]>([
    ['starts_with', 'AB-', 'AB-1', true],
    ['starts_with', 'AB-', 'xAB-1', false],
    ['ends_with', '@x.org', 'a@x.org', true],
    ['ends_with', '@x.org', 'a@x.org.com', false],
    ['contains', '(+)', 'a(+)b', true],
    ['contains', '.', 'ab', false],
    ['regex', 'b+', 'abbc', true],
    ['regex', '^b', 'ab\nb', false],
    ['regex', '(?m)^b', 'ab\nb', true],
    ['regex', '(?i)FIX', 'a fix', true],
  ])('%s %j of %j is %s, and negated the opposite', (operator, pattern, text, is) => {
    expect(satisfiesPattern(text, { operator, pattern })).toBe(is);
    expect(satisfiesPattern(text, { operator, pattern, negate: true })).toBe(!is);
  });

  test.each(['(', '[a', 'a**', '(a)\\1', '(?=a)', '(?<!a)b', '(a{1000}){1000}', 'a{1001}', '[^x]{1,1000}'.repeat(2)])(
    '%j is rejected as a regular expression',
    pattern => expect(expressionError(pattern)).toEqual(expect.any(String)),
  );

  test('an expression with exponential backtracking elsewhere takes linear time', () => {
    const text = `${'a'.repeat(1024 * 1024)}!`;
    for (const pattern of ['(a+)+$', '^(a|aa)+$', '(a*)*b', '(.*a){20}!b']) {
      const started = performance.now();
      expect(satisfiesPattern(text, { operator: 'regex', pattern })).toBe(false);
      expect(performance.now() - started).toBeLessThan(5000);
    }
  });

  test('the largest accepted expression is bounded for a megabyte', () => {
    const pattern = '(?:\\pL.?){100}x$';
    expect(expressionError(pattern)).toBeUndefined();
    const text = 'aé☃b'.repeat(262_144);
    const started = performance.now();
    expect(satisfiesPattern(text, { operator: 'regex', pattern })).toBe(false);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
