import type { RequestHandler } from 'express';
import { isPreflight, ProblemError, type Product, preflightHeaders } from 'operation-rest';
import { problemWith } from './error-responses.ts';

/** Methods of what is read only. */
export const readMethods: readonly string[] = ['GET', 'HEAD'];
/** Methods of a page with a form. */
export const formMethods: readonly string[] = [...readMethods, 'POST'];

const allow = (methods: readonly string[]): Record<'Allow', string> => ({ Allow: [...methods, 'OPTIONS'].join(', ') });

/** 405 for a method that a path outside of the contracts does not have. */
export function methodNotAllowed(method: string, methods: readonly string[]): ProblemError {
  const headers = allow(methods);
  const message = `The method ${method} is not allowed. Allowed are ${headers.Allow}.`;
  return new ProblemError(problemWith(405, 'METHOD_NOT_ALLOWED', message, headers));
}

/** Passes on requests with one of the methods, and answers all others: OPTIONS, preflights, and what is not allowed. */
export function onlyMethods(cors: Product['cors'], methods: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (methods.includes(request.method)) next();
    else if (request.method !== 'OPTIONS') next(methodNotAllowed(request.method, methods));
    else {
      const preflight = isPreflight(request)
        ? { ...preflightHeaders(cors, methods), 'Access-Control-Allow-Origin': '*' }
        : {};
      response
        .status(204)
        .set({ ...allow(methods), ...preflight })
        .end();
    }
  };
}
