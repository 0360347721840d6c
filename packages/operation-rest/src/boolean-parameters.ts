import {
  GraphQLBoolean,
  type GraphQLEnumType,
  type GraphQLInputType,
  GraphQLNonNull,
  getNullableType,
  isEnumType,
  isNonNullType,
} from 'graphql';
import type { Parameter } from './operation.ts';

/** Arguments of `@boolean`. */
export interface BooleanArguments {
  /** `true` and `false` → values of the variable's enum. */
  as: Readonly<Record<string, unknown>>;
  /** Absent where the variable's own parameter is the Boolean. */
  name?: string | null;
  default?: boolean | null;
  description?: string | null;
}

/**
 * The parameter of a variable with `@boolean`: a Boolean in the place of two values of an enum.
 * @param refuse called with the reason if the variable is no enum with these values
 */
export function publishBoolean(
  variable: string,
  type: GraphQLInputType,
  { as }: BooleanArguments,
  refuse: (reason: string) => never,
): Pick<Parameter, 'type' | 'enumValues'> {
  const values = getNullableType(type);
  if (!isEnumType(values)) return refuse(`$${variable} has @boolean, but its type ${type} is no enum.`);
  if (Object.keys(as).sort().join() !== 'false,true')
    return refuse(`$${variable} has @boolean, which needs values for true and false.`);
  const enumValues = new Map([true, false].map(one => [one, requireValue(variable, values, as[String(one)], refuse)]));
  return { type: isNonNullType(type) ? new GraphQLNonNull(GraphQLBoolean) : GraphQLBoolean, enumValues };
}

/**
 * The parameter of `@boolean(name:)`, which fills the variable in front of the variable's own parameter.
 * @param refuse called with the reason as by `publishBoolean`, and if the variable is not nullable
 */
export function booleanParameter(
  variable: string,
  type: GraphQLInputType,
  given: BooleanArguments & { name: string },
  refuse: (reason: string) => never,
): Pick<Parameter, 'name' | 'type' | 'enumValues' | 'fallbackOf' | 'description' | 'defaultValue'> {
  if (isNonNullType(type)) refuse(`$${variable} has @boolean(name:), and must be nullable.`);
  return {
    ...publishBoolean(variable, type, given, refuse),
    ...{ name: given.name, fallbackOf: variable },
    ...{ description: given.description ?? undefined, defaultValue: given.default ?? undefined },
  };
}

/** The Boolean of a value of the enum; the value itself where it has none. */
export function booleanOf(value: unknown, enumValues: ReadonlyMap<unknown, string>): unknown {
  for (const [one, known] of enumValues) if (known === value) return one;
  return value;
}

/** A value of the enum in the wire's spelling. */
function requireValue(
  variable: string,
  type: GraphQLEnumType,
  value: unknown,
  refuse: (reason: string) => never,
): string {
  const known = type.getValues().find(({ name }) => name.toLowerCase() === String(value).toLowerCase());
  return known?.name ?? refuse(`$${variable} has a word for ${value}, which is no value of ${type}.`);
}
