import {
  type DocumentNode,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { largeInput } from '../../schema/vocabulary/large-input.ts';
import { maxItems } from '../../schema/vocabulary/max-items.ts';
import { type VariableTypes, variableTypes } from './query-inputs.ts';

/** What the input fields that the variables of an operation feed allow beyond the limits of all requests. */
export interface VariableBounds {
  readonly types: VariableTypes;
  /** Maximum items of variables that are lists (`@MaxItems`), by name: the least of the fields that each feeds. */
  readonly maxItems: ReadonlyMap<string, number>;
  /** Maximum bytes of a request (`@LargeInput`): the largest of the fields that the variables feed; 0 if there is none. */
  readonly maxBodyBytes: number;
}

/** Reads the positions of the variables of an operation in its valid document, and their types below them. */
export function variableBounds(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode | undefined,
): VariableBounds {
  const types = variableTypes(schema, operation?.variableDefinitions);
  if (types.size === 0) return { types, maxItems: new Map(), maxBodyBytes: 0 };
  /** The input fields that each variable is the value of; undefined for an argument or an item of a list. */
  const positions = new Map<string, (GraphQLInputField | undefined)[]>();
  const typeInfo = new TypeInfo(schema);
  visit(
    partOf(document, operation),
    visitWithTypeInfo(typeInfo, {
      // Their variables are declarations.
      VariableDefinition: () => false,
      Variable({ name }, _key, parent) {
        if (!types.has(name.value)) return;
        const owner = getNamedType(typeInfo.getParentInputType() ?? undefined);
        const isField = parent !== undefined && 'kind' in parent && parent.kind === Kind.OBJECT_FIELD;
        const field = isField && isInputObjectType(owner) ? owner.getFields()[parent.name.value] : undefined;
        positions.set(name.value, [...(positions.get(name.value) ?? []), field]);
      },
    }),
  );
  const items = new Map<string, number>();
  let maxBodyBytes = 0;
  for (const [name, fields] of positions) {
    const bounds = fields.map(field => numberIn(field, maxItems));
    if (bounds.every(bound => bound !== undefined)) {
      items.set(
        name,
        bounds.reduce((a, b) => Math.min(a, b)),
      );
    }
    const below = largestBelow(types.get(name));
    maxBodyBytes = Math.max(maxBodyBytes, below);
    for (const field of fields) maxBodyBytes = Math.max(maxBodyBytes, numberIn(field, largeInput) ?? 0);
  }
  return { types, maxItems: items, maxBodyBytes };
}

/** An operation with its fragments: variables of the same name in others are others. */
function partOf(document: DocumentNode, operation: OperationDefinitionNode | undefined): DocumentNode {
  const isOnly = document.definitions.filter(one => one.kind === Kind.OPERATION_DEFINITION).length === 1;
  return (isOnly ? undefined : separateOperations(document)[operation?.name?.value ?? '']) ?? document;
}

function numberIn(field: GraphQLInputField | undefined, extension: string): number | undefined {
  const value = field?.extensions[extension];
  return typeof value === 'number' ? value : undefined;
}

/** The largest `@LargeInput` of the input fields below a type. */
function largestBelow(type: GraphQLInputType | undefined, seen = new Set<unknown>()): number {
  const named = type && getNamedType(type);
  if (!isInputObjectType(named) || seen.has(named)) return 0;
  seen.add(named);
  let largest = 0;
  for (const field of Object.values(named.getFields())) {
    largest = Math.max(largest, numberIn(field, largeInput) ?? 0, largestBelow(field.type, seen));
  }
  return largest;
}

/** The maximum size of a request to any field of the graph that takes large ones. */
export interface LargeInputs {
  readonly maxBodyBytes: number;
  /** The access words of the root fields that take them. */
  readonly access: ReadonlySet<string>;
}

/** Reads which root fields of a graph take large requests. */
export function largeInputsOf(schema: GraphQLSchema): LargeInputs {
  let maxBodyBytes = 0;
  const access = new Set<string>();
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const { args, extensions } of Object.values(root?.getFields() ?? {})) {
      const bytes = args.reduce((most, { type }) => Math.max(most, largestBelow(type)), 0);
      if (bytes > 0 && typeof extensions.access === 'string') access.add(extensions.access);
      maxBodyBytes = Math.max(maxBodyBytes, bytes);
    }
  }
  return { maxBodyBytes, access };
}
