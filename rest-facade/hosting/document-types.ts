import { GraphQLError, GraphQLScalarType } from 'graphql';

const levels: readonly unknown[] = ['read', 'write', 'admin'];

/** Upper bound on the names of one object, above the number of permissions that exist. */
const most = 200;

function parsePermissions(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GraphQLError('Permissions must be an object from names to read, write or admin.');
  }
  const entries = Object.entries(value);
  if (entries.length > most) throw new GraphQLError(`There are no more than ${most} permissions.`);
  for (const [name, level] of entries) {
    if (!/^[a-z][a-z_]{0,63}$/.test(name))
      throw new GraphQLError('The name of a permission has letters and underscores.');
    if (!levels.includes(level)) throw new GraphQLError(`The level of ${name} must be read, write or admin.`);
  }
  return value;
}

const documentType = (name: string, jsonSchema: object, parseValue?: (value: unknown) => unknown): GraphQLScalarType =>
  new GraphQLScalarType({
    name,
    extensions: { jsonSchema: { type: 'object', ...jsonSchema } },
    ...(parseValue && { parseValue }),
  });

const texts = { type: 'array', items: { type: 'string' } };

/** Objects of the contract that are lists in the graph. */
export const documentTypes = [
  documentType('Permissions', { additionalProperties: { type: 'string', enum: [...levels] } }, parsePermissions),
  documentType('LanguageSizes', { additionalProperties: { type: 'integer' } }),
  documentType('RulesetRule', {
    properties: { type: { type: 'string' }, parameters: { type: 'object', additionalProperties: true } },
    required: ['type'],
  }),
  documentType('RulesetConditions', {
    properties: {
      ref_name: { type: 'object', properties: { include: texts, exclude: texts } },
      repository_name: {
        type: 'object',
        properties: { include: texts, exclude: texts, protected: { type: 'boolean' } },
      },
      repository_id: {
        type: 'object',
        properties: { repository_ids: { type: 'array', items: { type: 'integer' } } },
      },
    },
  }),
  documentType('RulesetBypassActor', {
    properties: {
      actor_id: { type: ['integer', 'null'] },
      actor_type: { type: 'string' },
      bypass_mode: { type: 'string', enum: ['always', 'pull_request', 'exempt'] },
    },
    required: ['actor_type'],
  }),
];
