import type { Request, RequestHandler, Response } from 'express';
import { GraphQLError } from 'graphql';
import { endResponse, formatJson } from 'operation-rest';
import { releaseOnClose } from './charge-request.ts';
import { type GraphqlCharges, refusalOf } from './graphql-charges.ts';
import type { GraphqlContext } from './graphql-context.ts';
import { httpOf } from './graphql-errors.ts';
import type { PageAdmission } from './page-admission.ts';
import { isRateLimitError } from './rate-limit-errors.ts';
import { requestStateOf } from './request-state.ts';

export interface GraphqlAdmissionOptions {
  context(request: Request): Promise<GraphqlContext>;
  /** Undefined if rate limits are off. */
  charges: GraphqlCharges | undefined;
  pages: PageAdmission;
}

export interface GraphqlEntryPoint {
  /** Admits the request or responds to it, before its body is read. */
  middleware: RequestHandler;
  /** The context of a request that `middleware` has passed on. @throws the error of its creation */
  contextOf(request: Request): Promise<GraphqlContext>;
}

/** Bytes of a rejected request that are read and discarded, so that its connection can be reused. */
const maxDiscardedBytes = 64 * 1024;

/**
 * Admission of GraphQL requests, whose `Accept` is the selected media type. A rejected request costs the verification of its
 * credential and one call of the store; its body is not read, and its document is neither parsed nor validated.
 */
export function graphqlEntryPoint({
  context: createContext,
  charges,
  pages,
}: GraphqlAdmissionOptions): GraphqlEntryPoint {
  const middleware: RequestHandler = async (request, response, next) => {
    // If HTML is preferred, the page is served and nothing runs.
    if (request.headers.accept === 'text/html') {
      await pages.admit(request, response);
      return next();
    }
    try {
      const { context, refusal } = await admit(request, response, charges, createContext);
      if (refusal) return refuse(request, response, refusal);
      requestStateOf(request).graphql = { context };
    } catch (error) {
      // Thrown when the context is needed, so that the response has the shape of GraphQL.
      requestStateOf(request).graphql = { error };
    }
    next();
  };
  return {
    middleware,
    async contextOf(request) {
      const outcome = requestStateOf(request).graphql;
      if (!outcome) {
        throw new GraphQLError('The Accept header asks for a page; the answer to an operation is JSON.', {
          extensions: { code: 'BAD_REQUEST', http: { status: 406 } },
        });
      }
      if ('error' in outcome) throw outcome.error;
      return outcome.context;
    },
  };
}

async function admit(
  request: Request,
  response: Response,
  charges: GraphqlCharges | undefined,
  createContext: GraphqlAdmissionOptions['context'],
): Promise<{ context: GraphqlContext; refusal?: GraphQLError }> {
  const context = await createContext(request);
  if (!charges) return { context };
  try {
    const admission = await charges.admit(context, request, response);
    releaseOnClose(response, () => admission.admitted.release(admission.refund));
    return { context: Object.assign(context, { admission }) };
  } catch (error) {
    if (isRateLimitError(error)) return { context, refusal: error };
    throw error;
  }
}

function refuse(request: Request, response: Response, error: GraphQLError): void {
  const refusal = refusalOf(error);
  const { status = 429, headers = new Map() } = httpOf(refusal);
  const { message, extensions } = refusal.toJSON();
  const text = `${formatJson({ errors: [{ message, extensions: { ...extensions, http: undefined } }] })}\n`;
  response.status(status).setHeaders(headers);
  response.setHeader('Content-Type', `${request.headers.accept}; charset=utf-8`);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  endResponse(request, response, text, maxDiscardedBytes);
}
