import type { Response } from 'express';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { executeDocument } from 'operation-rest';
import type { Context } from '../../context/context.ts';
import type { PageOutcome } from './form-page.ts';
import type { Parameters } from './token-endpoint.ts';

/** A request for a page of settings, of a browser that is signed in. */
export interface SettingsRequest {
  graph: GraphQLSchema;
  context: Context;
  response: Response;
  query: Parameters;
  form: Parameters | undefined;
}

export type SettingsPage = (request: SettingsRequest) => Promise<PageOutcome | 'sent'>;

/** Runs a document of the graph as the person. @throws the error, unless it is an answer to what was sent */
export async function run<Data>(
  { graph, context }: Pick<SettingsRequest, 'graph' | 'context'>,
  document: DocumentNode,
  variables: Record<string, unknown> = {},
): Promise<Data> {
  context.isMutation = document.definitions.some(one => 'operation' in one && one.operation === 'mutation');
  const { data, errors } = await executeDocument(graph, document, { variables, context });
  const [error] = errors ?? [];
  if (error) throw error.originalError ?? error;
  return data as Data;
}
