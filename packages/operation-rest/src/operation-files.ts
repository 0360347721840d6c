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
import { OperationError } from './operation.ts';
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
 * @throws OperationError for the first file that cannot be parsed
 */
export function readSources(product: Pick<Product, 'name' | 'folder'>, locations: 'located' | 'bare'): SourceFile[] {
  return listOperationFiles(product.folder).map(file => readSource(product, file, locations === 'bare'));
}

function listOperationFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.graphql'))
    .sort();
}

function readSource(
  { name, folder }: Pick<Product, 'name' | 'folder'>,
  inFolder: string,
  noLocation: boolean,
): SourceFile {
  const file = `${name}/${inFolder.split(sep).join('/')}`;
  let document: DocumentNode;
  try {
    document = parse(new Source(readFileSync(join(folder, inFolder), 'utf8'), file), { noLocation });
  } catch (error) {
    throw new OperationError(file, error instanceof GraphQLError ? withLocation(error, file) : String(error));
  }
  const other = document.definitions.find(
    one => one.kind !== Kind.OPERATION_DEFINITION && one.kind !== Kind.FRAGMENT_DEFINITION,
  );
  if (other)
    throw new OperationError(file, 'A file must contain one operation, or fragments only; types belong to the graph.');
  return { file, document };
}

export function operationDefinitions(document: DocumentNode): OperationDefinitionNode[] {
  return document.definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION);
}

/** Fragments by name. In the OpenAPI document a fragment is a component of that name, and so are enums and input types. */
export function collectFragments(
  sources: SourceFile[],
  errorSchemas: Product['errorSchemas'],
  graph: GraphQLSchema,
): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const { file, document } of sources) {
    for (const one of document.definitions) {
      if (one.kind !== Kind.FRAGMENT_DEFINITION) continue;
      const name = one.name.value;
      const type = graph.getType(name);
      if (fragments.has(name)) throw new OperationError(file, `The fragment ${name} is declared twice.`);
      if (isEnumType(type) || isInputObjectType(type) || Object.hasOwn(errorSchemas, name)) {
        throw new OperationError(file, `The fragment ${name} needs another name: ${type ?? 'an error schema'} has it.`);
      }
      fragments.set(name, one);
    }
  }
  return fragments;
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
  return collectFragments(readSources(product, 'bare'), product.errorSchemas, graph);
}

/** The message with its line, and with its file if that is a fragment's. */
export function withLocation(error: GraphQLError, file: string): string {
  const [location] = error.locations ?? [];
  if (!location) return error.message;
  const where = error.source && error.source.name !== file ? `${error.source.name}, line` : 'line';
  return `${error.message} (${where} ${location.line})`;
}
