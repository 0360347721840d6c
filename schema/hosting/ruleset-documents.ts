import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';

/** JSON object with any keys: the write functions validate it and answer with the published messages. */
export type JsonObject = Readonly<Record<string, unknown>>;

function documentOf(name: string, description: string, jsonSchema: object): GraphQLScalarType<JsonObject, JsonObject> {
  const parse = (value: unknown): JsonObject => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    throw new GraphQLError(`${name} must be an object.`);
  };
  return new GraphQLScalarType<JsonObject, JsonObject>({
    name,
    description,
    serialize: value => value as JsonObject,
    parseValue: parse,
    parseLiteral: (node, variables) => parse(node.kind === Kind.OBJECT ? valueFromASTUntyped(node, variables) : null),
    extensions: { jsonSchema: { type: 'object', ...jsonSchema } },
  });
}

/** Rule in the published form: type and parameters. */
export const RulesetRule = documentOf(
  'RulesetRule',
  'A rule: `{"type": "max_file_size", "parameters": {"max_file_size": 10}}`. The guide to rules lists the types.',
  {
    properties: { type: { type: 'string' }, parameters: { type: 'object', additionalProperties: true } },
    required: ['type'],
  },
);

const texts = { type: 'array', items: { type: 'string' } };

/** Conditions of a ruleset: refs, and for an organization repositories. */
export const RulesetConditions = documentOf(
  'RulesetConditions',
  'Conditions of a ruleset, as a document. Refs: `{"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}}`; of an organization also `repository_name` or `repository_id`.',
  {
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
  },
);

/** Actor that may bypass a ruleset, and the mode. */
export const RulesetBypassActor = documentOf(
  'RulesetBypassActor',
  'Actor that may bypass a ruleset, as a document. Example: `{"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}`.',
  {
    properties: {
      actor_id: { type: ['integer', 'null'] },
      actor_type: { type: 'string' },
      bypass_mode: { type: 'string', enum: ['always', 'pull_request', 'exempt'] },
    },
    required: ['actor_type'],
  },
);
