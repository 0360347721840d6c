import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  buildSchema,
  type DirectiveNode,
  type DocumentNode,
  execute,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  NoUnusedVariablesRule,
  parse,
  print,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  specifiedRules,
  TypeInfo,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { databaseUnitsUsed } from '../../src/limits/database-units-used.ts';
import { measureQuery, type QueryMeasure } from '../../src/limits/query-measure.ts';

const schema = buildSchema(/* GraphQL */ `
  interface Named { name: String, owner: User }
  interface Paged { pageInfo: PageInfo }
  union Subject = Repo | Issue | User
  type Query {
    viewer: User
    repos(first: Int! = 3): RepoConnection
    search(first: Int): SubjectConnection
    anyPage(first: Int = 2): Paged
    named(first: Int = 2): [Named]
    subject: Subject
    few: [Repo]
    self: Query
  }
  type PageInfo { next: String }
  type RepoConnection implements Paged { nodes: [Repo], edges: [RepoEdge], pageInfo: PageInfo }
  type RepoEdge { node: Repo }
  type IssueConnection implements Paged { nodes: [Issue], pageInfo: PageInfo }
  type SubjectConnection { nodes: [Subject] }
  type Repo implements Named { name: String, owner: User, issues(first: Int! = 2): IssueConnection, subject: Subject }
  type Issue { title: String, author: User, repo: Repo }
  type User implements Named { name: String, owner: User, repos(first: Int! = 3): RepoConnection, query: Query }
`);
const few = schema.getQueryType()?.getFields().few;
if (few) few.extensions = { listSize: 2 };

/** Values of the variables that every generated document declares. */
interface Variables {
  readonly [name: string]: unknown;
  readonly n: number;
  readonly yes: boolean;
}

const variables = fc.record({ n: fc.integer({ min: -1, max: 4 }), yes: fc.boolean() });
const huge = fc.record({ n: fc.constantFrom(3, 2 ** 31 - 1), yes: fc.boolean() });

/**
 * A sequence of choices: a shorter sequence is a smaller document, so that failing documents shrink to readable ones.
 */
const tape = (maxLength: number): fc.Arbitrary<number[]> => fc.array(fc.nat(10_000), { maxLength, size: 'max' });

/**
 * Fields with a slice, conditions, aliases, inline fragments and spreads of earlier fragments, chosen by the sequence.
 */
class Author {
  readonly fragments = new Map<string, { on: string; body: string }>();
  readonly #tape: readonly number[];
  readonly #introspection: boolean;
  #at = 0;

  constructor(choices: readonly number[], introspection = false) {
    this.#tape = choices;
    this.#introspection = introspection;
  }

  document(): string {
    const body = this.selections('Query');
    const fragments = [...this.fragments].map(([name, { on, body }]) => `fragment ${name} on ${on} ${body}`);
    return `query Q($n: Int! = 2, $yes: Boolean! = true) ${body} ${fragments.join(' ')}`;
  }

  selections(type: string): string {
    if (type === 'PageInfo') return '{ next }';
    const parts = ['__typename'];
    for (let more = this.#choose(4) + 1; more > 0 && this.#at < this.#tape.length; more--)
      parts.push(this.#selection(type));
    return `{ ${parts.join(' ')} }`;
  }

  #choose(options: number): number {
    return (this.#tape[this.#at++] ?? 0) % options;
  }

  #selection(name: string): string {
    const type = schema.getType(name);
    const kind = this.#choose(10);
    if (kind === 0) return `...${this.#condition()} ${this.selections(name)}`;
    if (kind === 1 || (kind < 4 && isAbstractType(type))) {
      const on = this.#oneOf(
        isAbstractType(type)
          ? possible(type)
          : [name, ...abstractTypes.filter(wider => possible(wider).includes(name)).map(wider => wider.name)],
      );
      return `... on ${on} ${this.#condition()} ${this.selections(on)}`;
    }
    if (kind === 2) {
      const known = [...this.fragments].filter(([, { on }]) => on === name);
      if (known.length > 0) return `...${this.#oneOf(known.map(([fragment]) => fragment))} ${this.#condition()}`;
      const body = this.selections(name);
      const fragment = `F${this.fragments.size}`;
      this.fragments.set(fragment, { on: name, body });
      return `...${fragment} ${this.#condition()}`;
    }
    return this.#field(name);
  }

  #field(name: string): string {
    const type = schema.getType(name);
    const fields = isObjectType(type) || (isAbstractType(type) && 'getFields' in type) ? type.getFields() : {};
    if (this.#introspection && name === 'Query' && this.#choose(6) === 0) return introspections[this.#choose(3)] ?? '';
    const composite = Object.values(fields).filter(field => isCompositeType(getNamedType(field.type)));
    const from = this.#choose(4) > 0 && composite.length > 0 ? composite : Object.values(fields);
    const field = from[this.#choose(Math.max(1, from.length))];
    if (field === undefined) return '__typename';
    const size = field.args.length > 0 ? this.#oneOf(['', '2', '3', '4', '$n', '$n', '0']) : '';
    const slice = size && `(first: ${size})`;
    // The same response key always has the same arguments, so that fields do not conflict.
    const alias = slice ? `${field.name}${size.replace('$', '_')}:` : this.#choose(4) === 0 ? `x_${field.name}:` : '';
    const result = getNamedType(field.type);
    return `${alias} ${field.name}${slice} ${this.#condition()} ${isCompositeType(result) ? this.selections(result.name) : ''}`;
  }

  #condition(): string {
    if (this.#choose(10) > 0) return '';
    return this.#oneOf(['@include(if: $yes)', '@skip(if: $yes)', '@skip(if: false) @include(if: true)']);
  }

  #oneOf(options: readonly string[]): string {
    return options[this.#choose(options.length)] ?? '';
  }
}

const abstractTypes = Object.values(schema.getTypeMap()).filter(isAbstractType);

function possible(type: GraphQLAbstractType): string[] {
  return schema.getPossibleTypes(type).map(({ name }) => name);
}

const introspections = [
  '__schema { types { name fields { args { name } type { name } } } }',
  '__type(name: "Repo") { x: fields { name type { fields { name } } } }',
  'x: __schema { __typename directives { args { name } } }',
];

/** An unused variable does not change the execution. */
const rules = specifiedRules.filter(rule => rule !== NoUnusedVariablesRule);

const documents = tape(120).map(choices => new Author(choices).document());
const withIntrospection = tape(120).map(choices => new Author(choices, true).document());
const measure = (document: DocumentNode, values: Variables): QueryMeasure =>
  measureQuery(schema, document, undefined, values);

describe('the measure', () => {
  test('equals that of a naive expansion', () => {
    fc.assert(
      fc.property(withIntrospection, fc.oneof(variables, huge), (text, values) => {
        const document = parse(text);
        expect(measure(document, values)).toMatchObject(naive(document, values));
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, (document: DocumentNode) => DocumentNode]>([
    ['every selection set in an inline fragment', document => rewrap(document, 'inline')],
    ['every selection set in an inline fragment on its own type', document => rewrap(document, 'typed')],
    ['every selection set in a fragment of its own', document => rewrap(document, 'fragment')],
    ['no fragment left', expandSpreads],
    ['all fragments and the operation named after introspection', rename],
    ['the definitions in reverse', document => ({ ...document, definitions: document.definitions.toReversed() })],
    ['the same text printed and parsed', document => parse(print(document))],
  ])('is the same with %s', (_, change) => {
    fc.assert(
      fc.property(withIntrospection, variables, (text, values) => {
        const document = parse(text);
        expect(measure(change(document), values)).toEqual(measure(document, values));
      }),
      { numRuns: 200 },
    );
  });

  test('never decreases when a selection is added', () => {
    fc.assert(
      fc.property(withIntrospection, variables, fc.nat(), tape(10), (text, values, position, choices) => {
        const document = parse(text);
        expectNotLess(measure(addSelection(document, position, choices), values), measure(document, values));
      }),
      { numRuns: 300 },
    );
  });

  test('never decreases when a page grows', () => {
    fc.assert(
      fc.property(documents, variables, fc.nat(), fc.nat(2 ** 31 - 5), (text, values, position, more) => {
        const document = parse(text);
        const before = measure(document, values);
        expectNotLess(measure(document, { ...values, n: values.n + more }), before);
        let slices = 0;
        visit(document, { IntValue: () => void slices++ });
        let at = 0;
        const larger = visit(document, {
          IntValue: node =>
            at++ === position % Math.max(1, slices) ? { ...node, value: String(Number(node.value) + more) } : undefined,
        });
        expectNotLess(measure(larger, values), before);
      }),
      { numRuns: 300 },
    );
  });

  test('visits a selection at most a few times for each object type it applies to', () => {
    const types = Object.values(schema.getTypeMap()).filter(
      type => isObjectType(type) && !isIntrospectionType(type),
    ).length;
    fc.assert(
      fc.property(tape(400), variables, (choices, values) => {
        const { visits, selections } = countVisits(parse(new Author(choices).document()), document =>
          measure(document, values),
        );
        // The kind of a selection is read at most 3 times per visit; the search for literals adds a few reads per node.
        expect(visits).toBeLessThanOrEqual(selections * (3 * types + 12));
      }),
      { numRuns: 200 },
    );
  });
});

describe('the cost', () => {
  test('is at least the number of objects of an execution', () => {
    let compared = 0;
    fc.assert(
      fc.property(documents, variables, fc.nat(20), (text, values, seed) => {
        const document = parse(text);
        const { cost } = measure(document, values);
        if (cost > 20_000 || validate(schema, document, rules).length > 0) return;
        compared++;
        expect(executed(document, values, seed).objects).toBeLessThanOrEqual(cost);
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(250);
  });

  test('is equal to it if no field is merged and every type is concrete', () => {
    fc.assert(
      fc.property(documents, variables, (text, { yes }) => {
        const document = parse(text);
        const values = { n: 3, yes };
        const plain = distinctAndConcrete(document);
        const { cost, databaseUnits } = measure(plain, values);
        if (cost > 20_000) return;
        const { objects, pages, countedPages } = executed(plain, values, 0);
        expect({ objects, pages, countedPages }).toEqual({
          objects: cost,
          pages: databaseUnits,
          countedPages: databaseUnits,
        });
      }),
      { numRuns: 300 },
    );
  });
});

function expectNotLess(after: QueryMeasure, before: QueryMeasure): void {
  for (const [name, value] of Object.entries(before)) {
    expect({ name, value: after[name as keyof QueryMeasure] }).toEqual({ name, value: expect.any(Number) });
    expect(after[name as keyof QueryMeasure]).toBeGreaterThanOrEqual(value);
  }
}

// The reference expands the document into a tree of the executed fields and counts on the tree with unbounded integers. It is
// exponential, and follows the definition of each measure instead of the algorithm.

interface Node {
  readonly field: FieldNode;
  readonly parent: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** One branch per possible object type of the field. */
  readonly branches: readonly Branch[];
}

interface Branch {
  readonly nodes: readonly Node[];
  /** Directives encountered on fields, spreads and fragments. */
  readonly directives: number;
}

function naive(document: DocumentNode, values: Variables): Partial<QueryMeasure> {
  const operation = document.definitions.find(definition => definition.kind === Kind.OPERATION_DEFINITION);
  const query = schema.getQueryType();
  if (operation === undefined || !query) throw new Error('the generator makes queries');
  const root = expand(operation.selectionSet, query, document, values);
  const exempt = (node: Node): boolean =>
    node.definition === SchemaMetaFieldDef || node.definition === TypeMetaFieldDef;
  const counted = root.nodes.map(node => (exempt(node) ? { ...node, branches: [] } : node));
  const clip = (exact: bigint): number =>
    exact > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(exact);
  return {
    depth: depthOf(counted),
    fields: sum(root.nodes, () => 1),
    rootFields: root.nodes.length,
    aliases: sum(root.nodes, ({ field }) => (field.alias ? 1 : 0)),
    directives:
      root.directives +
      sum(
        root.nodes,
        () => 0,
        branch => branch.directives,
      ),
    cost: clip(costOf(counted, values).flat),
    databaseUnits: clip(pagesOf(counted, values).flat),
    introspectionDepth: Math.max(0, ...root.nodes.map(introspectionDepthOf)),
    introspectionAliases: sum(root.nodes, ({ field, parent, definition }) =>
      field.alias && (parent.name.startsWith('__') || definition === SchemaMetaFieldDef) ? 1 : 0,
    ),
  };
}

function expand(set: SelectionSetNode, type: GraphQLObjectType, document: DocumentNode, values: Variables): Branch {
  const nodes: Node[] = [];
  let directives = 0;
  for (const selection of set.selections) {
    directives += selection.directives?.length ?? 0;
    if (selection.directives?.some(directive => leavesOut(directive, values))) continue;
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value;
      const meta = [TypeNameMetaFieldDef, ...(type.name === 'Query' ? [SchemaMetaFieldDef, TypeMetaFieldDef] : [])];
      const definition = meta.find(field => field.name === name) ?? type.getFields()[name];
      const result = definition && getNamedType(definition.type);
      const types = isObjectType(result) ? [result] : isAbstractType(result) ? schema.getPossibleTypes(result) : [];
      const inner = selection.selectionSet;
      const branches = inner ? types.map(possible => expand(inner, possible, document, values)) : [];
      nodes.push({ field: selection, parent: type, definition, branches });
      continue;
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragmentOf(document, selection.name.value);
    const on = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value);
    const matches = on === undefined || on === type || (isAbstractType(on) && schema.isSubType(on, type));
    if (!matches) continue;
    const inner = expand(fragment.selectionSet, type, document, values);
    nodes.push(...inner.nodes);
    directives += inner.directives + (fragment === selection ? 0 : (fragment.directives?.length ?? 0));
  }
  return { nodes, directives };
}

function leavesOut(directive: DirectiveNode, values: Variables): boolean {
  const value = directive.arguments?.[0]?.value;
  const condition =
    value?.kind === Kind.VARIABLE ? values[value.name.value] : value?.kind === Kind.BOOLEAN && value.value;
  return condition === (directive.name.value === 'skip');
}

function fragmentOf(document: DocumentNode, name: string): FragmentDefinitionNode {
  const found = document.definitions.find(node => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name);
  if (found?.kind !== Kind.FRAGMENT_DEFINITION) throw new Error(`no fragment ${name}`);
  return found;
}

/** The sum over all fields; on interfaces and unions the maximum over the branches. */
function sum(
  nodes: readonly Node[],
  ofNode: (node: Node) => number,
  ofBranch: (branch: Branch) => number = () => 0,
): number {
  return nodes.reduce((total, node) => {
    const branches = node.branches.map(branch => ofBranch(branch) + sum(branch.nodes, ofNode, ofBranch));
    return total + ofNode(node) + Math.max(0, ...branches);
  }, 0);
}

function depthOf(nodes: readonly Node[]): number {
  return Math.max(0, ...nodes.map(({ branches }) => 1 + Math.max(0, ...branches.map(({ nodes }) => depthOf(nodes)))));
}

function introspectionDepthOf({ field, parent, branches }: Node): number {
  const inner = Math.max(0, ...branches.flatMap(({ nodes }) => nodes.map(introspectionDepthOf)));
  const circles = ['types', 'fields', 'inputFields', 'interfaces', 'possibleTypes'].includes(field.name.value);
  return inner + (parent.name.startsWith('__') && circles ? 1 : 0);
}

/** The objects of the fields on one object, and those per item if the object is a page. */
function costOf(nodes: readonly Node[], values: Variables): { flat: bigint; perItem: bigint } {
  const total = { flat: 0n, perItem: 0n };
  for (const { field, parent, definition, branches } of nodes) {
    if (!definition || !isCompositeType(getNamedType(definition.type))) continue;
    const slice = sliceOf(field, definition, values);
    const below = branches.map(branch => costOf(branch.nodes, values));
    const each = 1n + max(below.map(({ flat }) => flat)) + slice * max(below.map(({ perItem }) => perItem));
    if (parent.name.endsWith('Connection') && ['nodes', 'edges'].includes(field.name.value)) total.perItem += each;
    else total.flat += isListType(getNullableType(definition.type)) ? slice * each : each;
  }
  return total;
}

/** The pages of the fields on one object, and those per item if the object is a page. */
function pagesOf(nodes: readonly Node[], values: Variables): { flat: bigint; perItem: bigint } {
  const total = { flat: 0n, perItem: 0n };
  for (const { field, parent, definition, branches } of nodes) {
    if (!definition || !isCompositeType(getNamedType(definition.type))) continue;
    const slice = sliceOf(field, definition, values);
    const below = branches.map(branch => pagesOf(branch.nodes, values));
    const each = max(below.map(({ flat }) => flat)) + slice * max(below.map(({ perItem }) => perItem));
    const own = definition.args.some(({ name }) => name === 'first') ? 1n : 0n;
    if (parent.name.endsWith('Connection') && ['nodes', 'edges'].includes(field.name.value))
      total.perItem += own + each;
    else total.flat += own + (isListType(getNullableType(definition.type)) ? slice * each : each);
  }
  return total;
}

function sliceOf(field: FieldNode, definition: GraphQLField<unknown, unknown>, values: Variables): bigint {
  const argument = definition.args.find(({ name }) => name === 'first');
  if (argument === undefined) return definition.name === 'few' ? 2n : 100n;
  const given = field.arguments?.find(({ name }) => name.value === 'first')?.value;
  const value = given?.kind === Kind.INT ? Number(given.value) : given ? values.n : argument.defaultValue;
  return typeof value === 'number' ? BigInt(Math.max(1, value)) : 100n;
}

/** Math.max does not support bigint. */
function max(values: readonly bigint[]): bigint {
  let largest = 0n;
  for (const value of values) if (value > largest) largest = value;
  return largest;
}

// Execution: resolvers that return exactly the requested number of objects, with types chosen by the seed.

/** Objects created and pages read; `countedPages`: pages that `databaseUnitsUsed` counts from the response. */
function executed(
  document: DocumentNode,
  values: Variables,
  seed: number,
): { objects: number; pages: number; countedPages: number } {
  let pages = 0;
  let turn = seed;
  let made = 0;
  const create = (type: GraphQLNamedType, size: number): unknown => {
    made++;
    const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
    return { __typename: types[turn++ % types.length]?.name ?? type.name, size };
  };
  const result = execute({
    schema,
    document,
    variableValues: values,
    fieldResolver: (
      source: { size?: number } | undefined,
      args: { first?: number | null },
      _,
      { returnType, parentType, fieldName },
    ) => {
      const type = getNamedType(returnType);
      if (parentType.getFields()[fieldName]?.args.some(({ name }) => name === 'first')) pages++;
      if (!isCompositeType(type)) return 'x';
      const size = Math.max(0, args.first ?? (fieldName === 'few' ? 2 : 100));
      if (!isListType(getNullableType(returnType))) return create(type, size);
      const items = parentType.name.endsWith('Connection') ? (source?.size ?? 0) : size;
      return Array.from({ length: items }, () => create(type, size));
    },
  });
  if (result instanceof Promise || result.errors) throw new Error('the execution is synchronous and sound');
  const operation = document.definitions.find(definition => definition.kind === Kind.OPERATION_DEFINITION);
  if (!operation) throw new Error('the generator makes queries');
  return { objects: made, pages, countedPages: databaseUnitsUsed(schema, document, operation, result.data ?? {}) };
}

// Transformations of documents.

function rewrap(document: DocumentNode, how: 'inline' | 'typed' | 'fragment'): DocumentNode {
  const info = new TypeInfo(schema);
  const fragments: FragmentDefinitionNode[] = [];
  const changed = visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet: {
        leave(set) {
          const name = info.getParentType()?.name ?? 'Query';
          const typeCondition = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: name } } as const;
          const own = { kind: Kind.NAME, value: `__schema${fragments.length || ''}` } as const;
          if (how === 'fragment') {
            fragments.push({ kind: Kind.FRAGMENT_DEFINITION, name: own, typeCondition, selectionSet: set });
            return { ...set, selections: [{ kind: Kind.FRAGMENT_SPREAD, name: own }] };
          }
          const inner = { kind: Kind.INLINE_FRAGMENT, selectionSet: set } as const;
          return { ...set, selections: [how === 'typed' ? { ...inner, typeCondition } : inner] };
        },
      },
    }),
  );
  return { ...changed, definitions: [...changed.definitions, ...fragments] };
}

function expandSpreads(document: DocumentNode): DocumentNode {
  const inline = (spread: SelectionNode): SelectionNode => {
    if (spread.kind !== Kind.FRAGMENT_SPREAD) return spread;
    const { typeCondition, selectionSet } = fragmentOf(document, spread.name.value);
    const { directives = [] } = spread;
    return visit({ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet, directives }, { FragmentSpread: inline });
  };
  const expanded = visit(document, { FragmentSpread: inline });
  return { ...expanded, definitions: expanded.definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION) };
}

function rename(document: DocumentNode): DocumentNode {
  const names = ['__schema', '__type', '__typename', '__Schema', '__proto__', 'constructor'];
  const renamed = (name: string): { kind: Kind.NAME; value: string } => {
    const index = Number(name.slice(1));
    return { kind: Kind.NAME, value: names[index] ?? `__schema${index}` };
  };
  return visit(document, {
    OperationDefinition: node => ({ ...node, name: { kind: Kind.NAME, value: '__schema' } }),
    FragmentDefinition: node => ({ ...node, name: renamed(node.name.value) }),
    FragmentSpread: node => ({ ...node, name: renamed(node.name.value) }),
  });
}

/** Adds generated selections to the selection set number `position` of the document. */
function addSelection(document: DocumentNode, position: number, choices: readonly number[]): DocumentNode {
  const info = new TypeInfo(schema);
  let sets = 0;
  visit(document, { SelectionSet: () => void sets++ });
  let at = 0;
  return visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet: {
        enter(set) {
          const type = info.getParentType();
          if (at++ !== position % sets || !type || isIntrospectionType(type)) return undefined;
          const author = new Author([...choices.map(choice => (choice % 8 === 2 ? choice + 1 : choice))]);
          const [added] = parse(author.selections(type.name)).definitions;
          const more = added?.kind === Kind.OPERATION_DEFINITION ? added.selectionSet.selections : [];
          return {
            ...set,
            selections: [...set.selections, ...more.filter(({ kind }) => kind !== Kind.FRAGMENT_SPREAD)],
          };
        },
      },
    }),
  );
}

/** The document without interfaces and unions, each field with its own alias, each slice at least 1. */
function distinctAndConcrete(document: DocumentNode): DocumentNode {
  let alias = 0;
  const info = new TypeInfo(schema);
  const expanded = expandSpreads(document);
  return visit(
    expanded,
    visitWithTypeInfo(info, {
      IntValue: node => (node.value === '0' ? { ...node, value: '1' } : undefined),
      Field(node) {
        const type = info.getType();
        if (type && isAbstractType(getNamedType(type))) return null;
        return { ...node, alias: { kind: Kind.NAME, value: `a${alias++}` } };
      },
    }),
  );
}

/** Counts reads of the kind of selections: every visit of a selection starts with one. */
function countVisits(
  document: DocumentNode,
  run: (document: DocumentNode) => unknown,
): { visits: number; selections: number } {
  let visits = 0;
  let selections = 0;
  const watch = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      selections++;
      const { kind } = selection;
      const get = (): Kind => {
        visits++;
        return kind;
      };
      Object.defineProperty(selection, 'kind', { get });
      if (kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) watch(selection.selectionSet);
    }
  };
  for (const definition of document.definitions) if ('selectionSet' in definition) watch(definition.selectionSet);
  run(document);
  return { visits, selections };
}
