import {
  type ASTVisitor,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  type ListValueNode,
  type ObjectValueNode,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { maxItems } from '../../schema/vocabulary/max-items.ts';

/** Length and nesting depth of input values. */
export interface InputExtent {
  /** Items of the longest list. */
  readonly listLength: number;
  /** Nested lists and objects: 0 for a scalar, 2 for `[[1]]` and for `{a: {b: 1}}`. */
  readonly inputDepth: number;
}

/** The extent of a request's variables. */
export interface VariablesExtent extends InputExtent {
  /** Number of values sent, declared by the operation or not. */
  readonly variables: number;
  /** The longest list that exceeds the maximum of its own input field (`@MaxItems`). Such fields do not count in `listLength`. */
  readonly overlong?: OverlongList;
}

/** A list above the maximum of its input field. */
export interface OverlongList {
  readonly length: number;
  readonly max: number;
}

/** Declared types of the variables of an operation, by name. */
export type VariableTypes = ReadonlyMap<string, GraphQLInputType>;

interface ValueExtent extends InputExtent {
  readonly overlong?: OverlongList;
}

const nothing: InputExtent = { listLength: 0, inputDepth: 0 };

/** Unknown types are left out: validation reports them. */
export function variableTypes(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[] | undefined,
): VariableTypes {
  const types = new Map<string, GraphQLInputType>();
  for (const { variable, type } of definitions ?? []) {
    const found = typeFromAST(schema, type as never);
    if (isInputType(found)) types.set(variable.name.value, found);
  }
  return types;
}

/**
 * Measures the `variables` of a request: parsed JSON before coercion. Anything but an object counts as no variables.
 * Must run before coercion, which recurses as deep as the values if an input type refers to itself.
 *
 * @param types lists of input fields with a maximum of their own are measured by it
 * @param maxima the same for variables that are such lists themselves, by name
 */
export function measureVariables(
  variables: unknown,
  types: VariableTypes = new Map(),
  maxima: ReadonlyMap<string, number> = new Map(),
): VariablesExtent {
  if (!isRecord(variables)) return { ...nothing, variables: 0 };
  const entries = Object.entries(variables);
  const extents = entries.map(([name, value]) => extentOf(value, types.get(name), maxima.get(name)));
  const overlong = extents.map(one => one.overlong).reduce(longer, undefined);
  return { ...extents.reduce(larger, nothing), variables: entries.length, ...(overlong ? { overlong } : {}) };
}

function longer(a: OverlongList | undefined, b: OverlongList | undefined): OverlongList | undefined {
  return a && (!b || a.length >= b.length) ? a : b;
}

/** Extent of the literal values of a document, for given variables. */
export type MeasureLiterals = (variables: Readonly<Record<string, unknown>>) => InputExtent;

/**
 * Measures the literal values of a document: arguments and defaults of all operations and fragments, because all of them are
 * parsed and validated. `{a: $b}` is one level deeper than the value of `$b`.
 *
 * @returns a function of the variables after coercion, which does not read the document again
 */
export function literalsOf(document: DocumentNode): MeasureLiterals {
  /** The deepest position of each variable. */
  const positions = new Map<string, number>();
  let listLength = 0;
  let literalDepth = 0;
  let depth = 0;
  const enter = (node: ListValueNode | ObjectValueNode): void => {
    literalDepth = Math.max(literalDepth, ++depth);
    if ('values' in node) listLength = Math.max(listLength, node.values.length);
  };
  const leave = (): void => {
    depth--;
  };
  const visitor: ASTVisitor = {
    ListValue: { enter, leave },
    ObjectValue: { enter, leave },
    Variable: ({ name }) => void positions.set(name.value, Math.max(depth, positions.get(name.value) ?? 0)),
  };
  visit(document, visitor);
  return variables => {
    let inputDepth = literalDepth;
    for (const [name, position] of positions) {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      inputDepth = Math.max(inputDepth, position + extentOf(value).inputDepth);
    }
    return { listLength, inputDepth };
  };
}

/** The maximum of two extents, number by number. */
export function larger(a: InputExtent, b: InputExtent): InputExtent {
  return { listLength: Math.max(a.listLength, b.listLength), inputDepth: Math.max(a.inputDepth, b.inputDepth) };
}

/** A list or object, its declared type, and the maximum of its input field if that has one. */
interface TypedContainer {
  readonly value: Container;
  readonly type: GraphQLInputType | undefined;
  readonly max: number | undefined;
}

/** Breadth first without recursion: a megabyte of JSON can hold half a million brackets, more than the call stack. */
function extentOf(value: unknown, type?: GraphQLInputType, max?: number): ValueExtent {
  let listLength = 0;
  let inputDepth = 0;
  let overlong: OverlongList | undefined;
  let level: TypedContainer[] = isContainer(value) ? [{ value, type, max }] : [];
  while (level.length > 0) {
    inputDepth++;
    const below: TypedContainer[] = [];
    for (const container of level) {
      if (Array.isArray(container.value)) {
        const { length } = container.value;
        if (container.max === undefined) listLength = Math.max(listLength, length);
        else if (length > container.max) overlong = longer(overlong, { length, max: container.max });
      }
      addChildren(container, below);
    }
    level = below;
  }
  return { listLength, inputDepth, ...(overlong ? { overlong } : {}) };
}

function addChildren({ value, type }: TypedContainer, into: TypedContainer[]): void {
  const plain = type && getNullableType(type);
  if (Array.isArray(value)) {
    const items = isListType(plain) ? plain.ofType : undefined;
    for (const child of value) if (isContainer(child)) into.push({ value: child, type: items, max: undefined });
    return;
  }
  const fields = isInputObjectType(plain) ? plain.getFields() : undefined;
  // Own keys only, so a `__proto__` key from JSON is an ordinary key.
  for (const [name, child] of Object.entries(value)) {
    if (!isContainer(child)) continue;
    const field = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
    const max = field?.extensions[maxItems];
    into.push({ value: child, type: field?.type, max: typeof max === 'number' ? max : undefined });
  }
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

/** The coerced value of a custom scalar (a Date, a Buffer) counts as one value. */
function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || (isRecord(value) && isPlain(value));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Object.prototype has no prototype. A comparison with `Object.prototype` itself fails for objects of another realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
