import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Facade } from './facade.ts';

/** A middleware of Express 5, and of every framework with the same signature. */
export type ExpressMiddleware = (
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Serves a facade as a middleware: `app.use(expressMiddleware(facade))`. Other requests go to `next`. Mount it before parsers of
 * bodies, because the facade reads them itself. Below a path (`app.use('/api', …)`) the base paths are still those of the whole URL.
 */
export function expressMiddleware(facade: Pick<Facade, 'handle'>): ExpressMiddleware {
  return (request, response, next) => {
    if (request.readableEnded && hasBody(request)) {
      next(new TypeError('The request body has been read: mount the facade before the parsers of bodies.'));
      return;
    }
    // Express removes the path of a mount from `url`. Page links repeat what the client has sent.
    const { url } = request;
    if (request.originalUrl !== undefined) request.url = request.originalUrl;
    if (facade.handle(request, response)) return;
    if (url !== undefined) request.url = url;
    next();
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
