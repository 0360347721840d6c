import {
  type FragmentDefinitionNode,
  type GraphQLFieldResolver,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { type ApplyFieldRules, compileFieldRules } from './apply-field-rules.ts';
import { withFacadeDirectives } from './directives.ts';
import { executableDocument } from './executable-document.ts';
import { execute, OperationPlan } from './execution/operation-plan.ts';
import { readFieldRules, type UrlBases } from './field-rules.ts';
import { fragmentsOf, readFragments } from './operation-files.ts';
import { OperationProblems } from './operation-problems.ts';
import type { Product } from './product.ts';
import { SelectionWalker } from './selection-walker.ts';
import { buildWireSchema } from './wire-schema.ts';

/** One key of the result: the fragment that selects its JSON, and the resolver of its value. */
export interface SerializedFragment {
  fragment: string;
  resolve(source: never, args: never, context: never, info: GraphQLResolveInfo): unknown;
}

/** Makes the JSON of all keys. Keys whose value is null are omitted. Rejects with the first resolver error. */
export type SerializeFragments = (
  source: unknown,
  context: unknown,
  bases: UrlBases,
) => Promise<Record<string, unknown>>;

/**
 * Serializes objects outside a request (webhook payloads, for example) by the fragments of a contract's endpoints, so that the
 * JSON is the same as in responses.
 */
export function createFragmentSerializer(
  product: Pick<Product, 'name' | 'folder' | 'errorSchemas' | 'enumSpellings' | 'fractionDigits' | 'documentTypes'>,
  graph: GraphQLSchema,
  entries: Record<string, SerializedFragment>,
): SerializeFragments {
  const all = readFragments(product, graph);
  const wire = buildWireSchema(graph, product);
  const fields = Object.entries(entries).map(([key, { fragment, resolve }]) => {
    const type = wire.getType(all.get(fragment)?.typeCondition.name.value ?? '');
    if (!isObjectType(type) && !isInterfaceType(type)) {
      throw new TypeError(`${product.name} has no fragment ${fragment} on an object type or interface.`);
    }
    return [key, { type, resolve: resolve as GraphQLFieldResolver<unknown, unknown> }] as const;
  });
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'SerializedFragments', fields: Object.fromEntries(fields) }),
    // An interface does not refer to its types, and a field not to the scalar that `@as` names.
    types: [
      ...fields.flatMap(([, { type }]) => (isAbstractType(type) ? wire.getPossibleTypes(type) : [])),
      ...Object.values(wire.getTypeMap()).filter(isScalarType),
    ],
  });
  const selections = Object.entries(entries).map(([key, { fragment }]) => `${key} { ...${fragment} }`);
  const [definition] = parse(`{ ${selections.join(' ')} }`).definitions as [OperationDefinitionNode];
  const fragments = fragmentsOf(definition, all);
  const applyRules = readRules(product.name, withFacadeDirectives(schema), definition, fragments);
  const plan = new OperationPlan(schema, executableDocument({ definition, fragments }, undefined));
  return async (source, context, bases) => {
    const { data, errors } = await execute(plan, { source, context, variables: {} });
    const [error] = errors ?? [];
    if (error) throw error.originalError ?? error;
    const made = data as Record<string, unknown>;
    for (const [key, value] of Object.entries(made)) {
      if (value === null) delete made[key];
    }
    applyRules?.(made, bases, {});
    return made;
  };
}

/** @param name of the product, for messages. @throws OperationError */
function readRules(
  name: string,
  schema: GraphQLSchema,
  { selectionSet }: OperationDefinitionNode,
  fragments: FragmentDefinitionNode[],
): ApplyFieldRules | undefined {
  const problems = new OperationProblems();
  const walker = new SelectionWalker({ schema, fragments });
  const root = { set: selectionSet, parent: schema.getQueryType() as GraphQLObjectType };
  const rules = problems.attempt(name, found =>
    readFieldRules({ schema, walker, problems: found, headerOf: () => undefined }, [root], false),
  );
  problems.assertNone();
  return rules && compileFieldRules(rules);
}
