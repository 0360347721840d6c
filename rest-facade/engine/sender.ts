import type { Answer } from './answer.ts';
import { etagOf, isFresh } from './conditional.ts';
import { corsHeaders } from './cors.ts';
import type { DoorOptions } from './door-options.ts';
import type { ErrorAnswer, Exchange, HeaderFields, Product } from './product.ts';
import { finish } from './reply.ts';

/** Writes the answers of one product: headers, tags, bodies. */
export class Sender {
  readonly #product: Product;
  readonly #callerHeaders: DoorOptions['callerHeaders'];

  constructor({ product, callerHeaders }: Pick<DoorOptions, 'product' | 'callerHeaders'>) {
    this.#product = product;
    this.#callerHeaders = callerHeaders;
  }

  /** Headers of an answer that is not sent after all must not stay for the error that is. */
  async respond(
    responder: Product['responders'][string],
    exchange: Exchange,
    { status, headers, body }: Answer,
  ): Promise<void> {
    const { response } = exchange;
    const before = new Set(response.getHeaderNames());
    exchange.status = status;
    this.head(exchange, headers);
    try {
      await responder.send(body as never, exchange);
    } catch (error) {
      if (!response.headersSent) {
        for (const name of response.getHeaderNames()) if (!before.has(name)) response.removeHeader(name);
      }
      throw error;
    }
  }

  /** Sets the headers that every answer of the product has, and those given. */
  head(exchange: Exchange, headers: HeaderFields): void {
    const product = this.#product;
    const { request, response, media, version } = exchange;
    const versionHeader =
      product.versions && version !== undefined ? { [product.versions.selectedHeader]: version } : undefined;
    // One after the other: the last word counts.
    const said = [
      product.headers(request, exchange),
      media?.headers,
      versionHeader,
      'context' in exchange ? this.#callerHeaders?.(exchange.context, exchange) : undefined,
      exchange.charge?.headers(exchange.status),
      corsHeaders(product.cors, request.headers.origin),
      headers,
    ];
    for (const fields of said) for (const name in fields) response.setHeader(name, fields[name] ?? '');
  }

  /** Sends what an operation gave, or 304 to a caller who has it: then the headers are given that it was sent with. */
  deliver(exchange: Exchange, { status, headers, body }: Answer): HeaderFields | undefined {
    const { request, response, operation } = exchange;
    if (this.#product.etags === 'none' || body === undefined || status >= 300 || response.destroyed) {
      this.send(exchange, { status, headers, body });
      return undefined;
    }
    const text = JSON.stringify(body);
    const tagged = { ...headers, ETag: headers.ETag ?? etagOf(text) };
    const known = { getHeader: (name: string) => (tagged as Record<string, string>)[name] };
    if (operation?.method === 'GET' && status === 200 && isFresh(request.headers, known)) {
      this.unchanged(exchange, tagged);
      return tagged;
    }
    this.send(exchange, { status, headers: tagged, body: text, type: this.#product.jsonType });
    return undefined;
  }

  /** Tells a caller that what they have is right. */
  unchanged(exchange: Exchange, headers: HeaderFields): void {
    this.send(exchange, { status: 304, headers, body: undefined });
  }

  send(exchange: Exchange, { status, headers = {}, body, type }: ErrorAnswer): void {
    const { response, request, headOnly } = exchange;
    if (response.destroyed) return;
    // Before anything is set: a value that is no JSON is answered as a defect.
    const text = body === undefined ? undefined : type === undefined ? JSON.stringify(body) : String(body);
    exchange.status = status;
    this.head(exchange, headers);
    response.statusCode = status;
    if (text !== undefined) {
      response.setHeader('Content-Type', type ?? this.#product.jsonType);
      response.setHeader('Content-Length', Buffer.byteLength(text));
    } else if (status !== 204 && status !== 304) response.setHeader('Content-Length', 0);
    finish(request, response, headOnly ? undefined : text, this.#product.maxBody);
  }
}
