import type { Request, RequestHandler, Response } from 'express';
import { GraphQLError } from 'graphql';
import { endResponse } from '../../rest-facade/engine/end-response.ts';
import type { Context } from '../context/context.ts';
import { countBytes } from './count-bytes.ts';
import { type GraphqlCharges, refusalOf } from './graphql-charges.ts';
import type { PageAdmission } from './page-admission.ts';

export interface GraphqlAdmissionOptions {
  context(request: Request): Promise<Context>;
  /** Undefined where limits are switched off. */
  charges: GraphqlCharges | undefined;
  pages: PageAdmission;
}

export interface GraphqlEntryPoint {
  /** Admits the request or answers it, before its body is read. */
  step: RequestHandler;
  /** The context of a request that `step` has let pass; rejects with the reason why it could not be made. */
  contextOf(request: Request): Promise<Context>;
}

/** The media types that Apollo answers in, in its order: where HTML is liked best of all it serves its page and runs nothing. */
const responseTypes = [
  'application/json',
  'application/graphql-response+json',
  'multipart/mixed',
  'text/html',
] as const;

/** Bytes of a refused request that are read and dropped, so that its connection can be used again. */
const maxDiscardedBytes = 64 * 1024;

/**
 * The admission of `/graphql`: a request that is refused costs its credential and one call of the store. Its body is not read,
 * its document is neither parsed nor validated.
 */
export function graphqlEntryPoint({ context: make, charges, pages }: GraphqlAdmissionOptions): GraphqlEntryPoint {
  const outcomes = new WeakMap<Request, { context: Context } | { error: unknown }>();
  const step: RequestHandler = async (request, response, next) => {
    if (request.method === 'GET' && request.accepts([...responseTypes]) === 'text/html') {
      await pages.admit(request, response);
      return next();
    }
    try {
      const { context, refusal } = await admitted(request, response, charges, make);
      if (refusal) return refuse(request, response, refusal);
      outcomes.set(request, { context });
    } catch (error) {
      // Told when Apollo asks for the context, in the shape of GraphQL.
      outcomes.set(request, { error });
    }
    next();
  };
  return {
    step,
    async contextOf(request) {
      const outcome = outcomes.get(request);
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

async function admitted(
  request: Request,
  response: Response,
  charges: GraphqlCharges | undefined,
  make: GraphqlAdmissionOptions['context'],
): Promise<{ context: Context; refusal?: GraphQLError }> {
  const context = await make(request);
  if (!charges) return { context };
  const admission = await charges.admit(context);
  if (admission instanceof GraphQLError) return { context, refusal: admission };
  countBytes(request, response, context.usage);
  const release = (): void => admission.open.release(admission.refund);
  // A client may have left while it was counted.
  if (response.destroyed) release();
  else response.once('close', release);
  return { context: Object.assign(context, { admission }) };
}

function refuse(request: Request, response: Response, error: GraphQLError): void {
  const { http, body } = refusalOf(error);
  const type = request.accepts(['application/json', 'application/graphql-response+json']) || 'application/json';
  const text = `${JSON.stringify(body.singleResult)}\n`;
  response.status(http.status).set(Object.fromEntries(http.headers));
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  endResponse(request, response, text, maxDiscardedBytes);
}
