import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import {
  concatAST,
  type DocumentNode,
  extendSchema,
  type FragmentDefinitionNode,
  type GraphQLDirective,
  GraphQLError,
  type GraphQLSchema,
  getDirectiveValues,
  isEnumType,
  isInputObjectType,
  Kind,
  NoUnusedFragmentsRule,
  type OperationDefinitionNode,
  parse,
  print,
  Source,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { bodyMethods, type Method, type Operation, OperationError } from './operation.ts';
import type { Product } from './product.ts';
import { readParameters, spellForWire } from './read-parameters.ts';
import { acceptsTempFileText } from './scalars.ts';

const vocabulary = parse(readFileSync(join(import.meta.dirname, 'vocabulary.graphql'), 'utf8'));
const facadeDirectives = [
  'rest',
  'body',
  'page',
  'header',
  'omitNull',
  'status',
  'alias',
  'fromHeader',
  'split',
  'stream',
  'negotiated',
  'orDefault',
  'range',
];

interface SourceFile {
  file: string;
  document: DocumentNode;
}

/**
 * Reads every `.graphql` file under the product's folder: files with one operation are endpoints, files with fragments
 * alone are shapes that operations share by name. Throws an OperationError for the first file that does not fit.
 */
export function readOperations(
  product: Pick<Product, 'name' | 'folder' | 'maxBodyBytes' | 'errorSchemas'>,
  graph: GraphQLSchema,
  wire: GraphQLSchema,
): Operation[] {
  const sources = listOperationFiles(product.folder).map(file => readSource(product, file));
  // Files are written in the graph's spelling and checked against it; everything after that speaks the wire's.
  const schemas = { written: extendSchema(graph, vocabulary), published: extendSchema(wire, vocabulary) };
  const fragments = collectFragments(sources, product.errorSchemas, graph);
  // All in one, as fragments are then looked at once and not for each operation: half the time. Only where something is wrong
  // each is looked at by itself, so that the message names the operation.
  const isValid = validate(schemas.written, concatAST(sources.map(one => one.document)), rules).length === 0;
  const operations = sources
    .filter(source => operationDefinitions(source.document).length > 0)
    .map(source => readOperation(source, { fragments, ...schemas, isValid }, product.maxBodyBytes));
  const names = new Map<string, string>();
  for (const { name, file } of operations) {
    const other = names.get(name);
    if (other !== undefined) throw new OperationError(file, `${other} holds an operation ${name} too.`);
    names.set(name, file);
  }
  return operations;
}

/** The shapes of a product by name. Throws as `readOperations`. */
export function readFragments(
  product: Pick<Product, 'name' | 'folder' | 'errorSchemas'>,
  graph: GraphQLSchema,
): Map<string, FragmentDefinitionNode> {
  const sources = listOperationFiles(product.folder).map(file => readSource(product, file));
  return collectFragments(sources, product.errorSchemas, graph);
}

function listOperationFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.graphql'))
    .sort();
}

function readSource({ name, folder }: Pick<Product, 'name' | 'folder'>, inFolder: string): SourceFile {
  const file = `${name}/${inFolder.split(sep).join('/')}`;
  let document: DocumentNode;
  try {
    document = parse(new Source(readFileSync(join(folder, inFolder), 'utf8'), file));
  } catch (error) {
    throw new OperationError(file, error instanceof GraphQLError ? withLocation(error, file) : String(error));
  }
  const other = document.definitions.find(
    one => one.kind !== Kind.OPERATION_DEFINITION && one.kind !== Kind.FRAGMENT_DEFINITION,
  );
  if (other) throw new OperationError(file, 'A file holds one operation, or fragments; types belong into the graph.');
  return { file, document };
}

function operationDefinitions(document: DocumentNode): OperationDefinitionNode[] {
  return document.definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION);
}

/** Fragments by name. In the contract's document a fragment is a component of that name, and so are enums and inputs. */
function collectFragments(
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
      if (fragments.has(name)) throw new OperationError(file, `There is another fragment ${name}.`);
      if (isEnumType(type) || isInputObjectType(type) || Object.hasOwn(errorSchemas, name)) {
        throw new OperationError(
          file,
          `The fragment ${name} needs another name: ${type ?? 'a shape of errors'} has it.`,
        );
      }
      fragments.set(name, one);
    }
  }
  return fragments;
}

/** The fragments that an operation spreads, and those that they spread. */
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

interface RestDirective {
  method: Method;
  path: string;
  status: number;
  points?: number;
  maxBodyBytes?: number;
  needsBody: boolean;
  polled: boolean;
  docs?: string;
  changedIn?: string;
  deprecatedAt?: string;
  retiredAt?: string;
  maxAgeSeconds?: number;
  otherPaths?: string[];
  slash: 'PART' | 'REDIRECT';
}

interface OperationContext {
  fragments: Map<string, FragmentDefinitionNode>;
  written: GraphQLSchema;
  published: GraphQLSchema;
  /** Whether all operations and fragments are known to fit the graph. */
  isValid: boolean;
}

const rules = specifiedRules.filter(rule => rule !== NoUnusedFragmentsRule);

function readOperation(
  source: SourceFile,
  { fragments: all, written, published, isValid }: OperationContext,
  maxBody: number,
): Operation {
  const { file } = source;
  const refuse = (reason: string): never => {
    throw new OperationError(file, reason);
  };
  const [definition, second] = operationDefinitions(source.document);
  if (!definition || second) return refuse('A file holds exactly one operation.');
  const name = definition.name?.value ?? refuse('The operation needs a name.');
  const fragments = fragmentsOf(definition, all);
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] };
  const [error] = isValid ? [] : validate(written, document, rules);
  if (error) refuse(withLocation(error, file));
  assertConstantDirectives(document, refuse);
  const rest = getDirectiveValues(requireDirective(published, 'rest'), definition) as unknown as
    | RestDirective
    | undefined;
  if (!rest) return refuse('The operation needs @rest(method, path).');
  if (definition.operation === 'subscription') refuse('A subscription cannot be an endpoint.');
  if (definition.operation === 'mutation' && rest.method === 'GET') refuse('A mutation cannot be a GET.');
  if (definition.operation === 'query' && bodyMethods.has(rest.method)) refuse(`A query cannot be a ${rest.method}.`);
  assertStatus(rest.status, refuse);
  if (rest.polled && rest.method !== 'GET') refuse(`A ${rest.method} is not polled.`);
  if (rest.needsBody && !bodyMethods.has(rest.method)) refuse(`A ${rest.method} has no body to need.`);
  const spelled = spellForWire(document, published);
  const [operation = definition] = operationDefinitions(spelled);
  const read = readParameters(operation, spelled, published, rest, refuse);
  const [summary = name, ...about] = (definition.description?.value ?? '').split('\n');
  return {
    file,
    name,
    summary: summary || name,
    description: about.join('\n').trim(),
    kind: definition.operation as 'query' | 'mutation',
    method: rest.method,
    path: rest.path,
    otherPaths: rest.otherPaths ?? [],
    redirectsSlash: rest.slash === 'REDIRECT',
    docsPath: rest.docs,
    changedIn: rest.changedIn,
    retired: readRetirement(rest, refuse),
    maxAgeSeconds: rest.maxAgeSeconds,
    tag: file.split('/')[1] ?? '',
    status: rest.status,
    points: rest.points ?? (definition.operation === 'mutation' ? 5 : 1),
    maxBodyBytes: rest.maxBodyBytes ?? maxBody,
    needsBody: rest.needsBody,
    polled: rest.polled,
    streams: getDirectiveValues(requireDirective(published, 'stream'), definition) !== undefined,
    ...read,
    longTextKeys: read.parameters
      .filter(one => acceptsTempFileText(one.type))
      .flatMap(one => [one.name, ...one.aliases]),
    definition: operation,
    fragments: spelled.definitions.filter(one => one.kind === Kind.FRAGMENT_DEFINITION),
    schema: published,
  };
}

function readRetirement(
  { deprecatedAt, retiredAt }: RestDirective,
  refuse: (reason: string) => never,
): Operation['retired'] {
  if (deprecatedAt === undefined && retiredAt === undefined) return undefined;
  const dates = { deprecatedAt: new Date(deprecatedAt ?? ''), retiredAt: new Date(retiredAt ?? '') };
  if (Number.isNaN(dates.deprecatedAt.getTime() + dates.retiredAt.getTime())) {
    return refuse('An endpoint that goes says by two moments when that was told and when it is gone.');
  }
  return dates;
}

/** They are read at boot, when no variable has a value. */
function assertConstantDirectives(document: DocumentNode, refuse: (reason: string) => never): void {
  visit(document, {
    Directive({ name, arguments: given }) {
      const variable = given?.find(({ value }) => value.kind === Kind.VARIABLE);
      if (variable && facadeDirectives.includes(name.value)) refuse(`@${name.value} cannot depend on a variable.`);
    },
  });
}

/** Below 200 Node sends no answer, and there is nothing above 599. */
export function assertStatus(status: number, refuse: (reason: string) => never): void {
  if (status < 200 || status > 599) refuse(`${status} is no status of an answer.`);
}

/** The message with its line, and with its file where that is the one of a fragment. */
function withLocation(error: GraphQLError, file: string): string {
  const [place] = error.locations ?? [];
  if (!place) return error.message;
  const where = error.source && error.source.name !== file ? `${error.source.name}, line` : 'line';
  return `${error.message} (${where} ${place.line})`;
}

export function requireDirective(schema: GraphQLSchema, name: string): GraphQLDirective {
  const found = schema.getDirective(name);
  if (!found) throw new TypeError(`The vocabulary has no @${name}.`);
  return found;
}

/**
 * The operation without the facade's own directives: what is executed.
 * `outcomeKey` is asked for at the end of the selection under @body. The nodes are new: graphql-jit writes the conditions
 * of one operation into them, and fragments are shared by many.
 */
export function executableDocument(
  operation: Pick<Operation, 'definition' | 'fragments'>,
  outcomeKey: string | undefined,
): DocumentNode {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation.definition, ...operation.fragments] };
  const stripped = visit(document, {
    Field: node => {
      const isBody = node.directives?.some(one => one.name.value === 'body') === true;
      if (!isBody || !node.selectionSet || outcomeKey === undefined) return undefined;
      const outcome = {
        kind: Kind.FIELD,
        name: { kind: Kind.NAME, value: '__typename' },
        alias: { kind: Kind.NAME, value: outcomeKey },
      } as const;
      return {
        ...node,
        selectionSet: { ...node.selectionSet, selections: [...node.selectionSet.selections, outcome] },
      };
    },
    Directive: node => (facadeDirectives.includes(node.name.value) ? null : undefined),
    // Descriptions are for readers; graphql-jit does not know them.
    OperationDefinition: node => ({ ...node, description: undefined }),
    VariableDefinition: node => ({ ...node, description: undefined }),
    FragmentDefinition: node => ({ ...node, description: undefined }),
  });
  return parse(print(stripped));
}
