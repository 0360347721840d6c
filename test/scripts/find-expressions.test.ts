import { expect, test } from '@jest/globals';
import { findExpressions } from '../../scripts/find-expressions.ts';

const find = (text: string): string[] =>
  findExpressions(text, 'sample.ts').map(one =>
    one.kind === 'literal' ? `${one.line} /${one.source}/${one.flags}` : `${one.line} ${one.problem}`,
  );

test('literals, and RegExp of constants', () => {
  expect(
    find(`
const part = String.raw\`\\d{2}\`;
export const first = (text: string): boolean => /a+$/u.test(text);
const second = new RegExp(\`^\${part}$\`, 'i');
class One { static readonly third = RegExp('b' as string); }
const fourth = RegExp("c");`),
  ).toEqual([
    '3 /a+$/u',
    '4 /^\\d{2}$/i',
    '5 RegExp of what is no constant of this file: use a literal or recheck-ignore.',
    '6 /c/',
  ]);
});

test('a comment covers the statement, the element or the property that follows', () => {
  expect(
    find(`
// recheck-ignore: at most 10 characters
// (two lines)
const list = [/a/, new RegExp(name)];
const other = {
  // recheck-ignore: own text
  one: /b/,
  two: /c/,
};
use([
  /* recheck-ignore: own text */
  /d/,
  /e/,
]);`),
  ).toEqual(['8 /c/', '13 /e/']);
});

test('a comment needs a reason and an expression', () => {
  expect(find('// recheck-ignore:\nconst a = /a/;\n// recheck-ignore: short\nconst b = 1;')).toEqual([
    '1 recheck-ignore needs what bounds the input.',
    '3 recheck-ignore covers no regular expression.',
  ]);
});
