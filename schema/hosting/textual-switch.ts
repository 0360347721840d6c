import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

function readSwitch(value: unknown): boolean {
  if (value === '1' || value === 1 || value === true) return true;
  if (value === '0' || value === 0 || value === false) return false;
  throw new GraphQLError('it must be "0" or "1".');
}

/** Boolean that is published as text, and accepted as text, number or boolean. */
export const TextualSwitch = new GraphQLScalarType<boolean, string>({
  name: 'TextualSwitch',
  description: 'Switch as text: `"1"` for yes, `"0"` for no. Input may also be the number 1 or 0 or a boolean.',
  serialize: value => (value === true ? '1' : '0'),
  parseValue: readSwitch,
  parseLiteral: node =>
    readSwitch(node.kind === Kind.INT ? Number(node.value) : 'value' in node ? node.value : undefined),
  extensions: {
    jsonSchema: {
      anyOf: [{ type: 'string', enum: ['0', '1'] }, { type: 'integer', enum: [0, 1] }, { type: 'boolean' }],
    },
  },
});
