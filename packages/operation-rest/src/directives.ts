import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ASTNode,
  buildASTSchema,
  type DocumentNode,
  type GraphQLDirective,
  GraphQLSchema,
  getDirectiveValues,
  isSpecifiedDirective,
  Kind,
  parse,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { FileProblems } from './operation-problems.ts';

let directives: readonly GraphQLDirective[] | undefined;

/** The directives of `vocabulary.graphql`, which is read once. */
function readDirectives(): readonly GraphQLDirective[] {
  directives ??= buildASTSchema(parse(readFileSync(vocabularyFile, 'utf8')), { assumeValidSDL: true })
    .getDirectives()
    .filter(one => !isSpecifiedDirective(one));
  return directives;
}

/** Path of the definitions of the directives, for editors and linters. */
export const vocabularyFile = join(import.meta.dirname, 'vocabulary.graphql');

let names: ReadonlySet<string> | undefined;

/** Whether a directive of an operation file belongs to the facade, and not to the schema. */
export function isFacadeDirective(name: string): boolean {
  names ??= new Set(readDirectives().map(one => one.name));
  return names.has(name);
}

/**
 * The schema with the directives, so that operation files validate on it; their types are built apart, because `extendSchema` would
 * build every type of the schema again.
 */
export function withFacadeDirectives(schema: GraphQLSchema): GraphQLSchema {
  if (schema.getDirective('rest')) return schema;
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, directives: [...config.directives, ...readDirectives()] });
}

/** @throws TypeError if `schema` is not a result of `withFacadeDirectives` */
export function requireDirective(schema: GraphQLSchema, name: string): GraphQLDirective {
  const found = schema.getDirective(name);
  if (!found) throw new TypeError(`The vocabulary has no @${name}.`);
  return found;
}

/** The arguments of a directive at a variable; undefined if it has none. */
export function findDirectiveValues(
  node: VariableDefinitionNode,
  schema: GraphQLSchema,
  called: string,
): Record<string, unknown> | undefined {
  const directive = schema.getDirective(called);
  return directive ? getDirectiveValues(directive, node) : undefined;
}

/** Directives are read at boot, when no variable has a value. */
export function assertConstantDirectives(document: DocumentNode, { report }: FileProblems): void {
  visit(document, {
    Directive(node) {
      const variable = node.arguments?.find(({ value }) => value.kind === Kind.VARIABLE);
      const name = node.name.value;
      if (variable && isFacadeDirective(name)) report(`@${name} cannot depend on a variable.`, node);
    },
  });
}

/** Node sends no response below 200, and there is no status above 599. */
export function assertStatus(status: number, { report }: FileProblems, node: ASTNode | undefined): void {
  if (status < 200 || status > 599) report(`${status} is not a valid response status.`, node);
}
