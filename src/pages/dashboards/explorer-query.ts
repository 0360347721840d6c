import { getNamedType, isEnumType, Kind, parseValue, print, visit } from 'graphql';
import { isFacadeDirective, type Operation } from 'operation-rest';

/** Values of variables by name; of enums the name of the value. */
export type Variables = Readonly<Record<string, string | number>>;

/**
 * The query of a page for people: without what only the facade reads, in the spelling of the graph, and with the values of its variables
 * as their defaults, so that it runs as it is.
 */
export function explorerQuery(
  { definition, fragments, parameters }: Pick<Operation, 'definition' | 'fragments' | 'parameters'>,
  variables: Variables,
): string {
  const enums = new Set(parameters.filter(({ type }) => isEnumType(getNamedType(type))).map(({ name }) => name));
  const document = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] } as const;
  return print(
    visit(document, {
      Directive: node => (isFacadeDirective(node.name.value) ? null : undefined),
      EnumValue: node => ({ ...node, value: node.value.toUpperCase() }),
      OperationDefinition: node => ({ ...node, description: undefined }),
      VariableDefinition: node => {
        const { name } = node.variable;
        const value = variables[name.value];
        if (value === undefined) return { ...node, description: undefined };
        const text = enums.has(name.value) ? String(value) : JSON.stringify(value);
        return { ...node, description: undefined, defaultValue: parseValue(text) };
      },
    }),
  );
}
