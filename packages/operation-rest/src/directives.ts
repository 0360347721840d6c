import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLDirective,
  GraphQLSchema,
  isSpecifiedDirective,
  Kind,
  parse,
  visit,
} from 'graphql';

const vocabulary = parse(readFileSync(join(import.meta.dirname, 'vocabulary.graphql'), 'utf8'));

const directives = buildASTSchema(vocabulary, { assumeValidSDL: true })
  .getDirectives()
  .filter(one => !isSpecifiedDirective(one));

/** Names of the directives of `vocabulary.graphql`. */
export const facadeDirectives: ReadonlySet<string> = new Set(
  vocabulary.definitions.flatMap(one => (one.kind === Kind.DIRECTIVE_DEFINITION ? [one.name.value] : [])),
);

/** The schema with the directives, whose types are built apart: `extendSchema` would build every type of the schema again. */
export function withFacadeDirectives(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  return new GraphQLSchema({ ...config, directives: [...config.directives, ...directives] });
}

/** @throws TypeError if `schema` is not a result of `withFacadeDirectives` */
export function requireDirective(schema: GraphQLSchema, name: string): GraphQLDirective {
  const found = schema.getDirective(name);
  if (!found) throw new TypeError(`The vocabulary has no @${name}.`);
  return found;
}

/** Directives are read at boot, when no variable has a value. */
export function assertConstantDirectives(document: DocumentNode, refuse: (reason: string) => never): void {
  visit(document, {
    Directive({ name, arguments: given }) {
      const variable = given?.find(({ value }) => value.kind === Kind.VARIABLE);
      if (variable && facadeDirectives.has(name.value)) refuse(`@${name.value} cannot depend on a variable.`);
    },
  });
}

/** Node sends no response below 200, and there is no status above 599. */
export function assertStatus(status: number, refuse: (reason: string) => never): void {
  if (status < 200 || status > 599) refuse(`${status} is not a valid response status.`);
}
