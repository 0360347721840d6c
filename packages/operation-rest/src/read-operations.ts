import {
  concatAST,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getDirectiveValues,
  Kind,
  NoUnusedFragmentsRule,
  specifiedRules,
  validate,
} from 'graphql';
import { assertConstantDirectives, assertStatus, requireDirective, withFacadeDirectives } from './directives.ts';
import { readInputNames } from './input-names.ts';
import { bodyMethods, type Method, type Operation, OperationError } from './operation.ts';
import {
  collectFragments,
  fragmentsOf,
  operationDefinitions,
  readSources,
  type SourceFile,
  withLocation,
} from './operation-files.ts';
import type { Product } from './product.ts';
import { readParameters, spellForWire } from './read-parameters.ts';
import { pathParameterNames } from './route-table.ts';
import { acceptsTempFileText } from './scalars.ts';

/**
 * Reads every `.graphql` file of a product: a file with one operation is an endpoint; files with fragments only are shared by the
 * operations. @throws OperationError for the first file that does not fit the graph
 */
export function readOperations(
  product: Pick<Product, 'name' | 'folder' | 'maxBodyBytes' | 'errorSchemas'>,
  graph: GraphQLSchema,
  wire: GraphQLSchema,
): Operation[] {
  // Files are written and validated in the graph's spelling; everything after validation uses the wire's.
  const written = withFacadeDirectives(graph);
  const published = withFacadeDirectives(wire);
  let sources = readSources(product, 'bare');
  // One document, so that each fragment is validated once and not once per operation, which halves the time. If it is invalid,
  // operations are validated one by one, so that the message names the operation.
  const isValid = validate(written, concatAST(sources.map(one => one.document)), rules).length === 0;
  if (!isValid) sources = readSources(product, 'located');
  const fragments = collectFragments(sources, product.errorSchemas, graph);
  const validated = sources.map(source => (isValid ? source : assertValid(source, fragments, written)));
  const spelled = validated.map(({ file, document }) => ({ file, document: spellForWire(document, published) }));
  const context = { fragments: collectFragments(spelled, product.errorSchemas, graph), published };
  const operations = spelled
    .filter(source => operationDefinitions(source.document).length > 0)
    .map(source => readOperation(source, context, product.maxBodyBytes));
  const names = new Map<string, string>();
  for (const { name, file } of operations) {
    const other = names.get(name);
    if (other !== undefined) throw new OperationError(file, `${other} has an operation named ${name} too.`);
    names.set(name, file);
  }
  return operations;
}

/** The arguments of `@rest`. */
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
  /** In the wire's spelling, like the operation. */
  fragments: Map<string, FragmentDefinitionNode>;
  published: GraphQLSchema;
}

const rules = specifiedRules.filter(rule => rule !== NoUnusedFragmentsRule);

/** @throws OperationError if the operation of the file does not fit the graph */
function assertValid(
  source: SourceFile,
  fragments: Map<string, FragmentDefinitionNode>,
  written: GraphQLSchema,
): SourceFile {
  for (const definition of operationDefinitions(source.document)) {
    const document: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [definition, ...fragmentsOf(definition, fragments)],
    };
    const [error] = validate(written, document, rules);
    if (error) throw new OperationError(source.file, withLocation(error, source.file));
  }
  return source;
}

function readOperation(
  source: SourceFile,
  { fragments: all, published }: OperationContext,
  maxBody: number,
): Operation {
  const { file } = source;
  const refuse = (reason: string): never => {
    throw new OperationError(file, reason);
  };
  const [definition, second] = operationDefinitions(source.document);
  if (!definition || second) return refuse('A file must contain exactly one operation.');
  const name = definition.name?.value ?? refuse('The operation needs a name.');
  const fragments = fragmentsOf(definition, all);
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] };
  assertConstantDirectives(document, refuse);
  const rest = getDirectiveValues(requireDirective(published, 'rest'), definition) as unknown as
    | RestDirective
    | undefined;
  if (!rest) return refuse('The operation needs @rest(method, path).');
  if (definition.operation === 'subscription') refuse('A subscription cannot be an endpoint.');
  if (definition.operation === 'mutation' && rest.method === 'GET') refuse('A mutation cannot be a GET.');
  if (definition.operation === 'query' && bodyMethods.has(rest.method)) refuse(`A query cannot be a ${rest.method}.`);
  assertStatus(rest.status, refuse);
  if (rest.polled && rest.method !== 'GET') refuse(`A ${rest.method} cannot be polled.`);
  if (rest.needsBody && !bodyMethods.has(rest.method)) refuse(`A ${rest.method} has no body that could be required.`);
  const read = readParameters(definition, document, published, rest, refuse);
  const [summary = name, ...about] = (definition.description?.value ?? '').split('\n');
  return {
    file,
    name,
    summary: summary || name,
    description: about.join('\n').trim(),
    kind: definition.operation as 'query' | 'mutation',
    method: rest.method,
    path: rest.path,
    pathParameters: pathParameterNames(rest.path),
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
    inputNames: readInputNames(definition, fragments),
    longTextKeys: read.parameters
      .filter(one => acceptsTempFileText(one.type))
      .flatMap(one => [one.name, ...one.aliases]),
    definition,
    fragments,
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
    return refuse('deprecatedAt and retiredAt must both be set, as ISO 8601.');
  }
  return dates;
}
