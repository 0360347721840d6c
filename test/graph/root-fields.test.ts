import { expect, test } from '@jest/globals';
import { isNonNullType } from 'graphql';
import { publicSchema } from './public-schema.ts';
import { elementsOf, rootFields } from './schema-elements.ts';

const queries = rootFields(publicSchema.getQueryType());
const mutations = rootFields(publicSchema.getMutationType());

test('a query is nullable, so that a failure leaves the data of the others', () => {
  // Items of `nodes` are nullable, so that an id that fails leaves the others.
  const found = queries.filter(({ name, type }) => isNonNullType(type) && name !== 'nodes');
  expect(found.map(({ name }) => name)).toEqual([]);
});

test('a mutation takes one input of its name', () => {
  const found = mutations.filter(({ name, args: [input, ...others] }) => {
    const isInput = input?.name === 'input' && String(input.type) === `${typeName(name)}Input!`;
    return !isInput || others.length > 0;
  });
  expect(found.map(({ name }) => name)).toEqual([]);
});

test('a mutation returns a nullable payload of its name', () => {
  const found = mutations.filter(({ name, type }) => String(type) !== `${typeName(name)}Payload`);
  expect(found.map(({ name }) => name)).toEqual([]);
});

test('a repository is named by its owner and name in `Query.repository` and in `RepositoryName` alone', () => {
  const found = elementsOf(publicSchema).filter(
    ({ name, isArgument }) =>
      isArgument && /[.(]owner\)?$/.test(name) && name !== 'Query.repository(owner)' && name !== 'RepositoryName.owner',
  );
  expect(found.map(({ name }) => name)).toEqual([]);
});

function typeName(field: string): string {
  return `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}
