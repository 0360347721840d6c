import { expect, test } from '@jest/globals';
import { getNamedType, isScalarType } from 'graphql';
import { publicSchema } from './public-schema.ts';
import { elementsOf } from './schema-elements.ts';

/** Scalars whose values are objects, each with the reason why it is no object type. */
const allowed: Readonly<Record<string, string>> = {
  JSONObject: 'Headers and payloads of deliveries: its keys are those of the sender.',
};

test('no object hides in a scalar', () => {
  const scalars = Object.values(publicSchema.getTypeMap()).filter(isScalarType);
  const objects = scalars.filter(({ extensions, description }) => {
    const { type } = (extensions.jsonSchema ?? {}) as { type?: string };
    return type === 'object' || /\{\s*\\?"/.test(description ?? '');
  });
  expect(objects.map(({ name }) => name).toSorted()).toEqual(Object.keys(allowed).toSorted());
});

test('an object of any keys is what a sender or a receiver has written', () => {
  const found = elementsOf(publicSchema).filter(({ type }) => type && getNamedType(type).name === 'JSONObject');
  expect(found.map(({ name }) => name)).toEqual([
    'DeliveryRequest.headers',
    'DeliveryRequest.payload',
    'DeliveryResponse.headers',
  ]);
});
