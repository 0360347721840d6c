import {
  concatAST,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getDirectiveValues,
  Kind,
  KnownFragmentNamesRule,
  LoneAnonymousOperationRule,
  NoUnusedFragmentsRule,
  specifiedRules,
  UniqueFragmentNamesRule,
  UniqueOperationNamesRule,
  validate,
} from 'graphql';
import { assertConstantDirectives, assertStatus, requireDirective, withFacadeDirectives } from './directives.ts';
import { readInputNames } from './input-names.ts';
import { bodyMethods, type Method, type Operation, type PointsOfWork } from './operation.ts';
import {
  assertFragmentNames,
  fragmentDefinitions,
  fragmentsByName,
  fragmentsOf,
  operationDefinitions,
  problemOfError,
  readSources,
  type SourceFile,
} from './operation-files.ts';
import type { FileProblems, OperationProblems } from './operation-problems.ts';
import type { Product } from './product.ts';
import { readParameters, spellForWire } from './read-parameters.ts';
import { pathParameterNames } from './route-table.ts';
import { acceptsTempFileText, isFile } from './scalars.ts';

/**
 * Reads every `.graphql` file of a product: a file with one operation is an endpoint; files with fragments only are shared by the
 * operations.
 *
 * @param problems gets what does not fit the graph; the result is without the operations of those files
 * @throws OperationError with the syntax and validation errors, without lines, if the files are read `bare`
 */
export function readOperations(
  product: Pick<Product, 'name' | 'folder' | 'maxBodyBytes' | 'errorSchemas' | 'pointsOfWork'>,
  graph: GraphQLSchema,
  wire: GraphQLSchema,
  locations: 'located' | 'bare',
  problems: OperationProblems,
): Operation[] {
  // Files are written and validated in the graph's spelling; everything after validation uses the wire's.
  const sources = validSources(product, graph, locations, problems);
  if (locations === 'bare') problems.assertNone();
  const published = withFacadeDirectives(wire);
  const spelled = sources.map(({ file, document }) => ({ file, document: spellForWire(document, published) }));
  const context = { fragments: fragmentsByName(spelled), published };
  const names = new Map<string, string>();
  return spelled.flatMap(source => {
    const { file } = source;
    if (operationDefinitions(source.document).length === 0) return [];
    const operation = problems.attempt(file, found => {
      const read = readOperation(source, context, product, found);
      const other = names.get(read.name);
      if (other !== undefined) found.report(`${other} has an operation named ${read.name} too.`, read.definition);
      names.set(read.name, file);
      return read;
    });
    return operation ? [operation] : [];
  });
}

/** The files of a product without those that have problems, and without the operations that spread fragments of such files. */
function validSources(
  product: Pick<Product, 'name' | 'folder' | 'errorSchemas'>,
  graph: GraphQLSchema,
  locations: 'located' | 'bare',
  problems: OperationProblems,
): SourceFile[] {
  const { sources, unreadable } = readSources(product, locations, problems);
  assertFragmentNames(sources, product.errorSchemas, graph, problems);
  // A fragment of a file that cannot be parsed is not unknown.
  const applied = unreadable === 0 ? rules : rules.filter(rule => rule !== KnownFragmentNamesRule);
  // One document, so that each fragment is validated once and not once per operation, which halves the time.
  const document = concatAST(sources.map(one => one.document));
  const errors = validate(withFacadeDirectives(graph), document, applied, { maxErrors: Number.MAX_SAFE_INTEGER });
  for (const error of errors) problems.add(problemOfError(error, product.name));
  const fragments = fragmentsByName(sources);
  const fileOf = new Map(
    sources.flatMap(({ file, document }) => fragmentDefinitions(document).map(one => [one.name.value, file] as const)),
  );
  return sources.filter(({ file, document }) => {
    const spread = operationDefinitions(document).flatMap(one => fragmentsOf(one, fragments));
    return ![file, ...spread.map(one => fileOf.get(one.name.value) ?? file)].some(one => problems.isIn(one));
  });
}

/** The arguments of `@rest`. */
interface RestDirective {
  method: Method;
  path: string;
  status: number;
  points?: number;
  pointsReason?: string;
  maxBodyBytes?: number;
  needsBody: boolean;
  refusesInvalidPath: boolean;
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

/** Names of operations and fragments are checked with the names of their files. */
const rules = specifiedRules.filter(
  rule =>
    rule !== NoUnusedFragmentsRule &&
    rule !== LoneAnonymousOperationRule &&
    rule !== UniqueOperationNamesRule &&
    rule !== UniqueFragmentNamesRule,
);

function readOperation(
  source: SourceFile,
  { fragments: all, published }: OperationContext,
  { maxBodyBytes: maxBody, pointsOfWork = false }: Pick<Product, 'maxBodyBytes' | 'pointsOfWork'>,
  problems: FileProblems,
): Operation {
  const { file } = source;
  const { report, refuse } = problems;
  const [definition, second] = operationDefinitions(source.document);
  if (!definition || second) return refuse('A file must contain exactly one operation.', second);
  const name = definition.name?.value ?? refuse('The operation needs a name.', definition);
  const fragments = fragmentsOf(definition, all);
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [definition, ...fragments] };
  assertConstantDirectives(document, problems);
  const node = definition.directives?.find(one => one.name.value === 'rest');
  const rest = getDirectiveValues(requireDirective(published, 'rest'), definition) as unknown as
    | RestDirective
    | undefined;
  if (!rest) return refuse('The operation needs @rest(method, path).', definition);
  if (definition.operation === 'subscription') report('A subscription cannot be an endpoint.', definition);
  if (definition.operation === 'mutation' && rest.method === 'GET') report('A mutation cannot be a GET.', node);
  if (definition.operation === 'query' && bodyMethods.has(rest.method))
    report(`A query cannot be a ${rest.method}.`, node);
  assertStatus(rest.status, problems, node);
  if ((rest.points ?? 0) < 0) report('points must not be negative.', node);
  if ((rest.points ?? undefined) === undefined ? rest.pointsReason : !rest.pointsReason)
    report('points and pointsReason must both be set.', node);
  if (rest.polled && rest.method !== 'GET') report(`A ${rest.method} cannot be polled.`, node);
  if (rest.needsBody && !bodyMethods.has(rest.method))
    report(`A ${rest.method} has no body that could be required.`, node);
  const read = readParameters(definition, document, published, rest, problems);
  const ofKind = definition.operation === 'mutation' ? 5 : 1;
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
    retired: readRetirement(rest, problems, node),
    maxAgeSeconds: rest.maxAgeSeconds,
    refusesInvalidPath: rest.refusesInvalidPath,
    tag: file.split('/')[1] ?? '',
    status: rest.status,
    points: rest.points ?? ofKind + (pointsOfWork ? workOf(published, definition, fragments) : 0),
    pointsReason: rest.pointsReason,
    maxBodyBytes: rest.maxBodyBytes ?? maxBody,
    maxTextBytes: read.parameters.some(one => isFile(one.type)) ? maxBody : (rest.maxBodyBytes ?? maxBody),
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

const workOf: PointsOfWork = (schema, definition, fragments) =>
  (schema.extensions.pointsOfWork as PointsOfWork | undefined)?.(schema, definition, fragments) ?? 0;

function readRetirement(
  { deprecatedAt, retiredAt }: RestDirective,
  { report }: FileProblems,
  node: DirectiveNode | undefined,
): Operation['retired'] {
  if (deprecatedAt === undefined && retiredAt === undefined) return undefined;
  const dates = { deprecatedAt: new Date(deprecatedAt ?? ''), retiredAt: new Date(retiredAt ?? '') };
  if (Number.isNaN(dates.deprecatedAt.getTime() + dates.retiredAt.getTime())) {
    report('deprecatedAt and retiredAt must both be set, as ISO 8601.', node);
    return undefined;
  }
  return dates;
}
