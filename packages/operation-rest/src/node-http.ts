import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Facade } from './facade.ts';
import type { RestContext } from './product.ts';

/** A request as hooks see it on Node's own server. */
export type NodeRestContext = RestContext & { request: IncomingMessage; response: ServerResponse };

/**
 * Serves a facade by `createServer` of `node:http` or `node:https`.
 *
 * @param otherwise handles requests outside the base paths; without it they are answered 404 without a body
 */
export function nodeHandler(facade: Pick<Facade, 'handle'>, otherwise: RequestListener = notFound): RequestListener {
  return (request, response) => {
    if (!facade.handle(request, response)) otherwise(request, response);
  };
}

function notFound(_request: IncomingMessage, response: ServerResponse): void {
  response.statusCode = 404;
  response.setHeader('Content-Length', 0);
  response.end();
}
