import { expect, test } from '@jest/globals';
import { buildSchema, type GraphQLInputObjectType, Kind, parse } from 'graphql';
import { largeInput } from '../../schema/vocabulary/large-input.ts';
import { maxItems } from '../../schema/vocabulary/max-items.ts';
import { variableBounds } from '../../src/limits/variable-bounds.ts';

const schema = buildSchema(`
  type Query { store(input: StoreInput!): Int, find(ids: [ID!], text: String): Int }
  input StoreInput { ids: [ID!], text: String }`);
const { ids, text } = (schema.getType('StoreInput') as GraphQLInputObjectType).getFields();
Object.assign(ids?.extensions ?? {}, { [maxItems]: 50 });
Object.assign(text?.extensions ?? {}, { [largeInput]: 1_000_000 });

test('the bounds of an operation are those of its own variables, whatever others of the document are named', () => {
  const document = parse(`
    query Store($ids: [ID!], $text: String) { store(input: { ids: $ids, text: $text }) }
    query Find($ids: [ID!], $text: String) { ...Found }
    fragment Found on Query { find(ids: $ids, text: $text) }`);
  const boundsOf = (name: string) => {
    const operation = document.definitions.find(
      one => one.kind === Kind.OPERATION_DEFINITION && one.name?.value === name,
    );
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(name);
    const found = variableBounds(schema, document, operation);
    return { maxItems: [...found.maxItems], maxBodyBytes: found.maxBodyBytes };
  };
  expect(boundsOf('Find')).toEqual({ maxItems: [], maxBodyBytes: 0 });
  expect(boundsOf('Store')).toEqual({ maxItems: [['ids', 50]], maxBodyBytes: 1_000_000 });
});
