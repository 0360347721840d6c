import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  Source,
  visit,
} from 'graphql';
import { type FileProblems, OperationError, type OperationProblem, OperationProblems } from './operation-problems.ts';
import type { Product } from './product.ts';

/** A parsed file of a product's folder. */
export interface SourceFile {
  /** `<product>/<folder>/<name>.graphql` */
  file: string;
  document: DocumentNode;
}

/**
 * Parses every `.graphql` file of a product's folder. Locations are for messages: they keep every token of every file in memory,
 * 262,000 objects.
 *
 * @param problems gets the files that cannot be parsed; the result is without them, and `unreadable` is their number
 */
export function readSources(
  { name, folder }: Pick<Product, 'name' | 'folder'>,
  locations: 'located' | 'bare',
  problems: OperationProblems,
): { sources: SourceFile[]; unreadable: number } {
  const files = listOperationFiles(folder);
  const sources = files.flatMap(inFolder => {
    const file = `${name}/${inFolder.split(sep).join('/')}`;
    const source = new Source(readFileSync(join(folder, inFolder), 'utf8'), file);
    const document = problems.attempt(file, found => parseSource(source, locations, found));
    return document ? [{ file, document }] : [];
  });
  return { sources, unreadable: files.length - sources.length };
}

function listOperationFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.graphql'))
    .sort();
}

function parseSource(source: Source, locations: 'located' | 'bare', problems: FileProblems): DocumentNode {
  try {
    const document = parse(source, { noLocation: locations === 'bare' });
    for (const one of document.definitions) {
      if (one.kind !== Kind.OPERATION_DEFINITION && one.kind !== Kind.FRAGMENT_DEFINITION)
        problems.report('A file must contain one operation, or fragments only; types belong to the graph.', one);
    }
    return document;
  } catch (error) {
    throw error instanceof GraphQLError ? new OperationError([problemOfError(error, source.name)]) : error;
  }
}

export function operationDefinitions(document: DocumentNode): OperationDefinitionNode[] {
  return document.definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION);
}

export function fragmentDefinitions(document: DocumentNode): FragmentDefinitionNode[] {
  return document.definitions.filter(one => one.kind === Kind.FRAGMENT_DEFINITION);
}

export function fragmentsByName(sources: readonly SourceFile[]): Map<string, FragmentDefinitionNode> {
  const fragments = sources.flatMap(({ document }) => fragmentDefinitions(document));
  return new Map(fragments.map(one => [one.name.value, one]));
}

/**
 * Names of fragments are unique. In the OpenAPI document a fragment is a component of that name, and so are enums and input types.
 *
 * @param problems gets the fragments that need another name
 */
export function assertFragmentNames(
  sources: readonly SourceFile[],
  errorSchemas: Product['errorSchemas'],
  graph: GraphQLSchema,
  problems: OperationProblems,
): void {
  const names = new Set<string>();
  for (const { file, document } of sources) {
    problems.attempt(file, ({ report }) => {
      for (const one of fragmentDefinitions(document)) {
        const name = one.name.value;
        const type = graph.getType(name);
        if (names.has(name)) report(`The fragment ${name} is declared twice.`, one);
        if (isEnumType(type) || isInputObjectType(type) || Object.hasOwn(errorSchemas, name))
          report(`The fragment ${name} needs another name: ${type ?? 'an error schema'} has it.`, one);
        names.add(name);
      }
    });
  }
}

/** The fragments that an operation spreads, directly and indirectly. */
export function fragmentsOf(
  definition: OperationDefinitionNode,
  all: Map<string, FragmentDefinitionNode>,
): FragmentDefinitionNode[] {
  const used = new Map<string, FragmentDefinitionNode>();
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = all.get(name.value);
        if (!fragment || used.has(name.value)) return;
        used.set(name.value, fragment);
        follow(fragment);
      },
    });
  };
  follow(definition);
  return [...used.values()];
}

/** The fragments of a product by name. @throws OperationError */
export function readFragments(
  product: Pick<Product, 'name' | 'folder' | 'errorSchemas'>,
  graph: GraphQLSchema,
): Map<string, FragmentDefinitionNode> {
  const problems = new OperationProblems();
  const { sources } = readSources(product, 'bare', problems);
  assertFragmentNames(sources, product.errorSchemas, graph, problems);
  problems.assertNone();
  return fragmentsByName(sources);
}

/** A syntax error or a validation error as a problem of the file that has it; of `file` if the error has no place. */
export function problemOfError({ message, source, locations }: GraphQLError, file: string): OperationProblem {
  return { file: source?.name ?? file, line: locations?.[0]?.line, reason: message };
}
