import { expect, test } from '@jest/globals';
import { isScalarType } from 'graphql';
import { publicSchema } from './public-schema.ts';

/** Scalars whose values are objects, each with the reason why it is no object type. */
const allowed: Readonly<Record<string, string>> = {
  JSONObject: 'Headers, payloads and what clients store: its keys are those of the sender.',
  RulesetRule: 'Only an input: a rule as a document, whose errors the contract words by its paths.',
  RulesetConditions: 'Only an input, as RulesetRule.',
  RulesetBypassActor: 'Only an input, as RulesetRule.',
};

test('no object hides in a scalar', () => {
  const scalars = Object.values(publicSchema.getTypeMap()).filter(isScalarType);
  const objects = scalars.filter(({ extensions, description }) => {
    const { type } = (extensions.jsonSchema ?? {}) as { type?: string };
    return type === 'object' || /\{\s*\\?"/.test(description ?? '');
  });
  expect(objects.map(({ name }) => name).toSorted()).toEqual(Object.keys(allowed).toSorted());
});

test('what is only an input is in no output', () => {
  const outputs = Object.values(publicSchema.getTypeMap()).flatMap(type =>
    'getFields' in type && !('isOneOf' in type)
      ? Object.values(type.getFields()).map(field => ({ name: `${type.name}.${field.name}`, type: String(field.type) }))
      : [],
  );
  expect(outputs.filter(({ type }) => /\bRuleset(Rule|Conditions|BypassActor)\b/.test(type))).toEqual([]);
});
