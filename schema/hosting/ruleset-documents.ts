import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';

/** An object with whatever keys: what may be in it, the verbs say that write it, in the published words. */
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

/** A rule as it is published: its type, and the parameters that the type has. */
export const RulesetRule = documentOf(
  'RulesetRule',
  'A rule: `{"type": "max_file_size", "parameters": {"max_file_size": 10}}`. The guide to rules lists the types.',
  {
    properties: { type: { type: 'string' }, parameters: { type: 'object', additionalProperties: true } },
    required: ['type'],
  },
);

/** What a type of rules is told. */
export const RulesetParameters = documentOf('RulesetParameters', 'Parameters of a rule: `{"max_file_size": 10}`.', {
  additionalProperties: true,
});

const texts = { type: 'array', items: { type: 'string' } };

/** Which refs, and for an organization which repositories, a ruleset is about. */
export const RulesetConditions = documentOf(
  'RulesetConditions',
  'What a ruleset is about: `{"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}}`; of an organization also `repository_name` or `repository_id`.',
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

/** Who may bypass a ruleset, and how. */
export const RulesetBypassActor = documentOf(
  'RulesetBypassActor',
  'Who may bypass a ruleset: `{"actor_id": 5, "actor_type": "RepositoryRole", "bypass_mode": "always"}`.',
  {
    properties: {
      actor_id: { type: ['integer', 'null'] },
      actor_type: { type: 'string' },
      bypass_mode: { type: 'string', enum: ['always', 'pull_request', 'exempt'] },
    },
    required: ['actor_type'],
  },
);
