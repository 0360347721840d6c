import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { OperationPlan } from 'operation-rest';
import { declaredCost } from '../limits/field-units.ts';
import { type MeasuredOperation, operationLimiter } from '../limits/query-limits.ts';
import { rootFields } from './root-scopes.ts';

/** One operation of a valid document with everything that no request changes. */
export class PreparedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: readonly FragmentDefinitionNode[];
  /** Names of the fields at the root. */
  readonly rootFields: ReadonlySet<string>;
  /** Coerces the variables and measures the operation. @throws GraphQLError if it exceeds a limit */
  readonly measure: (sent: Readonly<Record<string, unknown>>) => MeasuredOperation;
  /** Maximum bytes of its requests, if larger than that of all requests. */
  readonly maxBodyBytes: number;
  readonly plan: OperationPlan;

  constructor(graph: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.document = document;
    this.operation = operation;
    this.fragments = document.definitions.filter(one => one.kind === Kind.FRAGMENT_DEFINITION);
    this.rootFields = rootFields(operation, this.fragments);
    const { measure, maxBodyBytes } = operationLimiter(graph, document, operation);
    this.measure = measure;
    this.maxBodyBytes = maxBodyBytes;
    this.plan = new OperationPlan(graph, document, operation, {
      mayPrint: field => !declaredCost(field),
      pointedFloats: true,
    });
  }
}

/** The operation that a request selects, with the values of its variables. */
export interface SelectedOperation extends MeasuredOperation {
  method: string;
  prepared: PreparedOperation;
}
