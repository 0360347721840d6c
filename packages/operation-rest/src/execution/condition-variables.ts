import { type DirectiveNode, type DocumentNode, Kind, visit } from 'graphql';

/** Names of the variables that are conditions of `@skip` and `@include` anywhere in the document. */
export function conditionVariables(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: given = [] }: DirectiveNode) {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}
