import { type GraphQLSchema, Kind, OperationTypeNode } from 'graphql';
import { type Operation, type PathScopes, pathScopes } from 'operation-rest';
import { admitsEverybody } from '../auth/hosting-scopes.ts';
import { countContentMutations } from './content-mutations.ts';
import { ignoresCredential, isOfService, rootScopes } from './root-scopes.ts';

/** What access checks and rate limits need to know of one REST operation. */
export interface OperationFacts {
  scopes: PathScopes;
  /** Whether an invalid credential is treated as absent: see `ignoresCredential`. */
  ignoresCredential: boolean;
  isMutation: boolean;
  /** Whether a service credential may run it. */
  isOfService: boolean;
  /** Number of created objects that other users see. */
  content: number;
}

const unknownOperation: OperationFacts = {
  scopes: { required: new Set(), accepted: new Set() },
  ignoresCredential: false,
  isMutation: false,
  isOfService: false,
  content: 0,
};

/** Returns a function that computes the facts of an operation once; undefined stands for an unknown path or method. */
export function operationFacts(graph: GraphQLSchema): (operation: Operation | undefined) => OperationFacts {
  const known = new Map<Operation, OperationFacts>();
  return operation => {
    if (!operation) return unknownOperation;
    const found = known.get(operation);
    if (found) return found;
    const { definition, fragments } = operation;
    const scopes = pathScopes(graph, definition, fragments, admitsEverybody);
    const facts: OperationFacts = {
      scopes,
      ignoresCredential: ignoresCredential(scopes.required),
      isMutation: definition.operation === OperationTypeNode.MUTATION,
      isOfService: isOfService(rootScopes(graph, definition, fragments)),
      content: countContentMutations(graph, { kind: Kind.DOCUMENT, definitions: fragments }, definition),
    };
    known.set(operation, facts);
    return facts;
  };
}
