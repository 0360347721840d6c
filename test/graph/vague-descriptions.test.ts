import { expect, test } from '@jest/globals';
import { parse } from 'graphql';
import { vagueDescriptions } from '../../scripts/vague-descriptions.ts';

test('a description has three words or more, whatever it describes', () => {
  const document = parse(`
    "Thing."
    type Thing { "Its name." name("Long enough a text." long: Int, "Short text." short: Int): String, bare: Int }
    "Input of a thing." input ThingInput { "Global id." id: ID }
    "Colour of a thing." enum Colour { "Deep red." RED, BLUE }
    "URL." scalar Link
  `);
  expect(vagueDescriptions(document)).toEqual([
    'short-description Colour.RED',
    'short-description Link',
    'short-description Thing',
    'short-description Thing.name',
    'short-description Thing.name(short:)',
    'short-description ThingInput.id',
  ]);
});

/** A type for each member, all with one description. */
const sharing = (...members: string[]): string =>
  members.map((member, index) => `type T${index} { "Number of the thing." ${member}: Int }`).join('\n');

test.each([
  ['three types', sharing('a', 'b', 'c'), []],
  ['four types', sharing('a', 'b', 'c', 'd'), ['shared-description "Number of the thing."']],
  ['four types under one name', sharing('number', 'number', 'number', 'number'), []],
  ['four types, one under another name', sharing('a', 'a', 'a', 'b'), ['shared-description "Number of the thing."']],
  [
    'an argument, an input field, an enum value and a type',
    `type A { list("Number of the thing." a: Int): Int } input B { "Number of the thing." b: Int }
     enum C { "Number of the thing." C } "Number of the thing." type D { a: Int }`,
    ['shared-description "Number of the thing."'],
  ],
  [
    'an argument of four types',
    ['A', 'B', 'C', 'D'].map(type => `type ${type} { list("Number of the thing." first: Int): Int }`).join('\n'),
    [],
  ],
])('a text that %s have', (_, document, expected) => {
  expect(vagueDescriptions(parse(document))).toEqual(expected);
});

test('an exception is needed, or it is a finding', () => {
  const document = parse(`"Thing." type Thing { "Number of the thing." number: Int }\n${sharing('a', 'b', 'c', 'd')}`);
  expect(vagueDescriptions(document, ['Thing', 'Number of the thing.'])).toEqual([]);
  expect(vagueDescriptions(document, ['Thing', 'Number of the thing.', 'Thing.number'])).toEqual([
    'needless-exception Thing.number',
  ]);
});
