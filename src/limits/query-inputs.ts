import { type ASTVisitor, type DocumentNode, type ListValueNode, type ObjectValueNode, visit } from 'graphql';

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
}

const nothing: InputExtent = { listLength: 0, inputDepth: 0 };

/**
 * Measures the `variables` of a request: parsed JSON before coercion. Anything but an object counts as no variables.
 * Must run before coercion, which recurses as deep as the values if an input type refers to itself.
 */
export function measureVariables(variables: unknown): VariablesExtent {
  if (!isRecord(variables)) return { ...nothing, variables: 0 };
  const values = Object.values(variables);
  return { ...values.map(extentOf).reduce(larger, nothing), variables: values.length };
}

/**
 * Measures the literal values of a document: arguments and defaults of all operations and fragments, because all of them are
 * parsed and validated. `{a: $b}` is one level deeper than the value of `$b`.
 *
 * @param variables after coercion
 */
export function measureLiterals(document: DocumentNode, variables: Readonly<Record<string, unknown>>): InputExtent {
  const sent = new Map(Object.entries(variables).map(([name, value]) => [name, extentOf(value).inputDepth]));
  let listLength = 0;
  let inputDepth = 0;
  let depth = 0;
  const reach = (here: number): void => {
    inputDepth = Math.max(inputDepth, here);
  };
  const enter = (node: ListValueNode | ObjectValueNode): void => {
    reach(++depth);
    if ('values' in node) listLength = Math.max(listLength, node.values.length);
  };
  const leave = (): void => {
    depth--;
  };
  const visitor: ASTVisitor = {
    ListValue: { enter, leave },
    ObjectValue: { enter, leave },
    Variable: node => reach(depth + (sent.get(node.name.value) ?? 0)),
  };
  visit(document, visitor);
  return { listLength, inputDepth };
}

/** The maximum of two extents, number by number. */
export function larger(a: InputExtent, b: InputExtent): InputExtent {
  return { listLength: Math.max(a.listLength, b.listLength), inputDepth: Math.max(a.inputDepth, b.inputDepth) };
}

/** Breadth first without recursion: a megabyte of JSON can hold half a million brackets, more than the call stack. */
function extentOf(value: unknown): InputExtent {
  let listLength = 0;
  let inputDepth = 0;
  let level = [value].filter(isContainer);
  while (level.length > 0) {
    inputDepth++;
    const below: Container[] = [];
    for (const container of level) {
      if (Array.isArray(container)) listLength = Math.max(listLength, container.length);
      // Object.values reads own keys, so a `__proto__` key from JSON is an ordinary key.
      for (const child of Array.isArray(container) ? container : Object.values(container)) {
        if (isContainer(child)) below.push(child);
      }
    }
    level = below;
  }
  return { listLength, inputDepth };
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
