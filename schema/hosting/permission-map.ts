import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';

/** Levels, ascending; each includes those before it. */
export const levels = ['read', 'write', 'admin'] as const;
export type Level = (typeof levels)[number];

/** Permissions by name, such as `{contents: 'write', metadata: 'read'}`. */
export type PermissionMap = Readonly<Record<string, Level>>;

/** Upper bound on the names of one map, above the number of permissions that exist. */
const most = 200;

function parse(value: unknown): PermissionMap {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GraphQLError('Permissions must be an object from names to read, write or admin.');
  }
  const entries = Object.entries(value);
  if (entries.length > most) throw new GraphQLError(`There are no more than ${most} permissions.`);
  for (const [name, level] of entries) {
    if (!/^[a-z][a-z_]{0,63}$/.test(name))
      throw new GraphQLError('The name of a permission has letters and underscores.');
    if (!levels.some(one => one === level))
      throw new GraphQLError(`The level of ${name} must be read, write or admin.`);
  }
  return value as PermissionMap;
}

/** Permissions of a token or an app, independent of those of its owner. */
export const Permissions = new GraphQLScalarType<PermissionMap, PermissionMap>({
  name: 'Permissions',
  description:
    'Levels of permissions by name, such as `{"contents": "write", "metadata": "read"}`. A level is `read`, `write` or `admin` and includes those before it. At most 200 names.',
  serialize: value => value as PermissionMap,
  parseValue: parse,
  parseLiteral: node => parse(node.kind === Kind.OBJECT ? valueFromASTUntyped(node) : undefined),
  extensions: { jsonSchema: { type: 'object', additionalProperties: { type: 'string', enum: [...levels] } } },
});
