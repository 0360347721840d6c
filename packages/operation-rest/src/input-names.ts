import {
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

/** Way into a GraphQL input: names of arguments and input fields, and indices of lists. */
type InputPath = readonly (string | number)[];

/** Which variables feed the arguments of a field. */
interface FedInput {
  path: InputPath;
  /** Name of the variable: the parameter. */
  name: string;
}

/** Response path of a field, without indices → the inputs that variables feed. */
export type InputNames = ReadonlyMap<string, readonly FedInput[]>;

export function readInputNames(
  definition: OperationDefinitionNode,
  fragments: readonly FragmentDefinitionNode[],
): InputNames {
  const found = new Map<string, FedInput[]>();
  const collect = ({ selections }: SelectionSetNode, above: readonly string[]): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const keys = [...above, (selection.alias ?? selection.name).value];
        const fed = (selection.arguments ?? []).flatMap(({ name, value }) => fedInputs(value, [name.value]));
        if (fed.length > 0) found.set(keys.join('.'), [...(found.get(keys.join('.')) ?? []), ...fed]);
        if (selection.selectionSet) collect(selection.selectionSet, keys);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet, above);
      else {
        const fragment = fragments.find(one => one.name.value === selection.name.value);
        if (fragment) collect(fragment.selectionSet, above);
      }
    }
  };
  collect(definition.selectionSet, []);
  return found;
}

function fedInputs(value: ValueNode, path: InputPath): FedInput[] {
  if (value.kind === Kind.VARIABLE) return [{ path, name: value.name.value }];
  if (value.kind === Kind.OBJECT) return value.fields.flatMap(one => fedInputs(one.value, [...path, one.name.value]));
  if (value.kind === Kind.LIST) return value.values.flatMap((one, index) => fedInputs(one, [...path, index]));
  return [];
}

/**
 * The path of an input in the names of parameters. A path that begins with no argument is one into the argument `input`. A path
 * that no variable feeds stays as it is.
 * @param field response path of the field that reported the path
 */
export function publishedPath(names: InputNames, field: InputPath, path: InputPath): InputPath {
  const fed = names.get(field.filter(key => typeof key === 'string').join('.')) ?? [];
  for (const full of [path, ['input', ...path]]) {
    const source = fed.find(
      one => one.path.length <= full.length && one.path.every((key, index) => key === full[index]),
    );
    if (source) return [source.name, ...full.slice(source.path.length)];
  }
  return path;
}
