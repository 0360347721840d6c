import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { retryAfterSeconds } from '../errors/errors.ts';

/** Classes of the requests and responses of an HTTP server. */
export interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
}

/** Node's method that makes the head of a response; it is not in the types. */
type StoreHeader = (this: ServerResponse, statusLine: string, headers: unknown) => void;

const storeHeader = (ServerResponse.prototype as unknown as { _storeHeader: StoreHeader })._storeHeader;

/** Of every 503, so that no client decides by itself how soon it tries again. */
const retryAfterLine = `Retry-After: ${retryAfterSeconds}\r\n`;

/** `headers`: those of `writeHead`, as an object, a list of pairs, or a flat list. */
function hasRetryAfter(response: ServerResponse, headers: unknown): boolean {
  if (response.hasHeader('retry-after')) return true;
  const names = Array.isArray(headers) ? headers.flat() : Object.keys(headers ?? {});
  return names.some(name => String(name).toLowerCase() === 'retry-after');
}

/**
 * Classes whose objects have the getters of Express requests and responses from the start. Express sets the prototype of each
 * object instead, which cost a fortieth of the CPU time of a list.
 *
 * @param constantHeaders headers of every response. Their bytes are prepared here and precede the other headers; a header that the
 *   response sets itself takes the place of the constant one. Setting twelve headers for each response cost a twentieth of a list.
 */
export function messageClasses(app: Express, constantHeaders: readonly (readonly [string, string])[]): MessageClasses {
  const constants = constantHeaders.map(([name, value]) => ({
    name: name.toLowerCase(),
    line: `${name}: ${value}\r\n`,
  }));
  const allLines = constants.map(({ line }) => line).join('');

  class GatewayRequest extends IncomingMessage {}
  Object.setPrototypeOf(GatewayRequest.prototype, app.request);

  class GatewayResponse extends ServerResponse {
    _storeHeader(statusLine: string, headers: unknown): void {
      const isReplaced = constants.some(({ name }) => this.hasHeader(name));
      const lines = isReplaced
        ? constants.flatMap(({ name, line }) => (this.hasHeader(name) ? [] : [line])).join('')
        : allLines;
      const wait = this.statusCode === 503 && !hasRetryAfter(this, headers) ? retryAfterLine : '';
      storeHeader.call(this, `${statusLine}${lines}${wait}`, headers);
    }
  }
  Object.setPrototypeOf(GatewayResponse.prototype, app.response);
  // Express sets these prototypes on what it handles: those that the objects have.
  app.request = GatewayRequest.prototype as typeof app.request;
  app.response = GatewayResponse.prototype as unknown as typeof app.response;

  return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse as typeof ServerResponse };
}
