import type { Tracing } from '../telemetry/tracing.ts';
import type { GraphqlAnswer } from './graphql-response.ts';
import type { SelectedOperation } from './prepared-operation.ts';

/** Tells the span how an operation ended. */
export type ReportOperation = (operation: SelectedOperation | undefined, answer: GraphqlAnswer) => void;

/** Characters of the name of an operation; its caller has chosen it. */
const maxNameLength = 64;

/** Runs a GraphQL operation in a span. Neither the document nor a variable is sent: documents may have literals. */
export function traceOperation<T>(tracing: Tracing, run: (report: ReportOperation) => Promise<T>): Promise<T> {
  return tracing.within({ name: 'GraphQL Operation', kind: 'internal', attributes: {} }, span =>
    run((operation, { result }) => {
      const definition = operation?.prepared.operation;
      if (definition) {
        span.setName(definition.operation);
        span.setAttributes({
          'graphql.operation.type': definition.operation,
          ...(definition.name ? { 'graphql.operation.name': definition.name.value.slice(0, maxNameLength) } : {}),
        });
      }
      const [error] = result.errors ?? [];
      if (error) span.fail(String(error.extensions?.code ?? '_OTHER'));
    }),
  );
}
