import { expect, test } from '@jest/globals';
import { getNamedType } from 'graphql';
import { publicSchema } from './public-schema.ts';
import { elementsOf } from './schema-elements.ts';

const elements = elementsOf(publicSchema);

test('a description begins with a noun', () => {
  const found = elements.filter(({ description }) => /^(Its|What|Whether or)\b/.test(description));
  expect(found.map(({ name }) => name)).toEqual([]);
});

test('the first sentence of a description has at most 100 characters', () => {
  const found = elements.filter(({ description }) => firstSentence(description).length > 100);
  expect(found.map(({ name }) => name)).toEqual([]);
});

test('a closed list of values is an enum, not a String whose description has the values', () => {
  const strings = elements.filter(({ type }) => type && getNamedType(type).name === 'String');
  const found = strings.filter(({ description }) => listsValues(description));
  expect(found.map(({ name }) => name)).toEqual([]);
});

test.each([
  ['State: `open`, `closed`.', true],
  ['Kind: `user` or `organization`.', true],
  ['Order: newest, oldest or best.', true],
  ['One of the names of the product.', false],
  ['Cursor for `after` or `before`.', false],
  ['Name of the branch, such as `main`.', false],
  ['Letters, digits and hyphens.', false],
])('%j lists values: %j', (description, expected) => {
  expect(listsValues(description)).toBe(expected);
});

/** Two or more words in backticks that are no arguments of a connection, or a colon with words joined by `or`. */
function listsValues(description: string): boolean {
  return (
    /`(?!after`|first`)[a-z][a-z_-]*`(,| or|, or| and|:) `[a-z][a-z_-]*`/i.test(description) ||
    /: [a-z_-]+(, [a-z_-]+)*,? or [a-z_-]+[.,;(]/i.test(description)
  );
}

function firstSentence(description: string): string {
  return description.replaceAll('\n', ' ').split(/(?<=[.!?])\s/)[0] ?? '';
}
