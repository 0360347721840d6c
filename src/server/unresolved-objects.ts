import { type FieldNode, type GraphQLFormattedError, Kind, type SelectionSetNode } from 'graphql';
import { isIncluded } from '../limits/query-arguments.ts';
import type { GraphqlAnswer } from './graphql-response.ts';
import type { SelectedOperation } from './prepared-operation.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The published sentence of a root field whose object does not exist, or is hidden, by name of the field. */
const sentences = new Map<string, (given: Arguments) => string>([
  ['repository', ({ owner, name }) => `Could not resolve to a Repository with the name '${cut(owner)}/${cut(name)}'.`],
  ['organization', ({ login }) => `Could not resolve to an Organization with the login of '${cut(login)}'.`],
  ['user', ({ login }) => `Could not resolve to a User with the login of '${cut(login)}'.`],
]);

/** No name is longer, and one variable may be the argument of many fields. */
const cut = (value: unknown): string => String(value).slice(0, 100);

/**
 * Adds an error to each root field of code hosting that is null because its object does not exist or is hidden: clients with types
 * decode null as an empty object. Fields that have failed for another reason have an error already.
 */
export function addUnresolvedObjects({ result }: GraphqlAnswer, operation: SelectedOperation | undefined): void {
  const { data, errors = [] } = result;
  if (!data || !operation?.coerced || operation.prepared.operation.operation !== 'query') return;
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  const absent = Object.keys(data).filter(key => data[key] === null && !failed.has(key));
  if (absent.length === 0) return;
  const nodes = rootNodes(operation);
  const added = absent.flatMap(key => {
    const node = nodes.get(key);
    const sentence = node && sentences.get(node.name.value);
    return sentence ? [unresolved(key, node, sentence(givenTo(node, operation)))] : [];
  });
  if (added.length > 0) result.errors = [...errors, ...added];
}

/** `type` is where clients of GitHub look for the code. */
function unresolved(key: string, { loc }: FieldNode, message: string): GraphQLFormattedError {
  const { line, column } = loc?.startToken ?? { line: 1, column: 1 };
  const error = { type: 'NOT_FOUND', message, path: [key], locations: [{ line, column }] };
  return { ...error, extensions: { code: 'NOT_FOUND' } };
}

/** The arguments of a field, all of which are scalars. */
function givenTo({ arguments: given = [] }: FieldNode, { coerced = {} }: SelectedOperation): Arguments {
  return Object.fromEntries(
    given.map(({ name, value }) => {
      if (value.kind === Kind.VARIABLE) return [name.value, coerced[value.name.value]];
      return [name.value, 'value' in value ? value.value : undefined];
    }),
  );
}

/** The root fields that were executed, by the key of their value. */
function rootNodes({ prepared, coerced = {} }: SelectedOperation): Map<string, FieldNode> {
  const found = new Map<string, FieldNode>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (!isIncluded(selection, coerced)) continue;
      if (selection.kind === Kind.FIELD) found.set((selection.alias ?? selection.name).value, selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = prepared.fragments.find(one => one.name.value === selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(prepared.operation.selectionSet);
  return found;
}
