import type { RestResponse } from './build-response.ts';
import { computeBodyTag, isFresh } from './conditional-requests.ts';
import { corsHeaders } from './cors.ts';
import { endResponse } from './end-response.ts';
import { formatBodyInTurns, formatJson } from './json-text.ts';
import type { StoredResponse } from './key-claim.ts';
import type { ErrorResponse, HeaderFields, Product, RenderedBody, RestContext } from './product.ts';
import type { RestHooks } from './rest-hooks.ts';

/** A result as it is sent. */
interface RenderedResponse extends ErrorResponse {
  headers: HeaderFields;
  body: string | Buffer | undefined;
  expires: boolean;
}

/** Writes the responses of one product: headers, entity tags, bodies. */
export class ResponseWriter {
  readonly #product: Product;
  readonly #callerHeaders: RestHooks['callerHeaders'];

  constructor({ product, callerHeaders }: Pick<RestHooks, 'product' | 'callerHeaders'>) {
    this.#product = product;
    this.#callerHeaders = callerHeaders;
  }

  /** If the responder fails before it sends anything, its headers are removed, so that the error response does not have them. */
  async #sendByResponder(
    responder: Product['responders'][string],
    restContext: RestContext,
    { status, headers, body }: RestResponse,
  ): Promise<void> {
    const { response } = restContext;
    const before = new Set(response.getHeaderNames());
    restContext.status = status;
    this.setHeaders(restContext, headers);
    try {
      await responder.send(body as never, restContext);
    } catch (error) {
      if (!response.headersSent) {
        for (const name of response.getHeaderNames()) if (!before.has(name)) response.removeHeader(name);
      }
      throw error;
    }
  }

  /** Sets the headers that every response of the product has, then `headers`. */
  setHeaders(restContext: RestContext, headers: HeaderFields): void {
    const product = this.#product;
    const { request, response, media, version } = restContext;
    const versionHeader =
      product.versions && version !== undefined ? { [product.versions.selectedHeader]: version } : undefined;
    // Later ones overwrite earlier ones.
    const all = [
      product.responseHeaders(request, restContext),
      media?.headers,
      versionHeader,
      'context' in restContext ? this.#callerHeaders?.(restContext.context, restContext) : undefined,
      restContext.charge?.headers(restContext.status),
      corsHeaders(product.cors, request.headers.origin),
      headers,
    ];
    for (const fields of all) for (const name in fields) response.setHeader(name, fields[name] ?? '');
  }

  /** Sends the result of an operation: as an event, by its responder, or as `sendResult`. Returns the headers of a 304. */
  async sendAnswer(restContext: RestContext, answer: RestResponse): Promise<HeaderFields | undefined> {
    const { events, response } = restContext;
    const responder = answer.outcome === undefined ? undefined : this.#product.responders[answer.outcome];
    if (events) events.end('answer', answer.body);
    else if (!responder || response.destroyed) return this.sendResult(restContext, answer);
    else await this.#sendByResponder(responder, restContext, answer);
    return undefined;
  }

  /** Sends the result of an operation. Sends 304 if the client's copy is current, and then returns the headers it sent. */
  async sendResult(restContext: RestContext, answer: RestResponse): Promise<HeaderFields | undefined> {
    const { request, response, operation } = restContext;
    if (response.destroyed) return undefined;
    const { expires, ...rendered } = await this.render(restContext, answer);
    const { status, headers, body } = rendered;
    const mayBeFresh = operation?.method === 'GET' && status === 200 && body !== undefined && !expires;
    const known = { getHeader: (name: string) => (headers as Record<string, string>)[name] };
    if (this.#product.etags !== 'none' && mayBeFresh && isFresh(request.headers, known)) {
      this.sendNotModified(restContext, headers);
      return headers;
    }
    this.send(restContext, rendered);
    return undefined;
  }

  /** The result of an operation as it is sent; `expires`: it has URLs that do. */
  async render(restContext: RestContext, { status, headers, body }: RestResponse): Promise<RenderedResponse> {
    const { etags, jsonType, expiringUrls } = this.#product;
    if (body === undefined) return { status, headers, body: undefined, expires: false };
    if (etags === 'none' || status >= 300)
      return { status, headers, body: await formatBodyInTurns(body), type: jsonType, expires: false };
    const { text, type = jsonType, headers: own } = await renderBody(this.#product, body, restContext);
    const { etag, expires } =
      headers.ETag === undefined ? await computeBodyTag(text, expiringUrls) : { etag: headers.ETag, expires: false };
    const tagged = { ...headers, ...own, ETag: etag, ...(expires ? { 'Cache-Control': 'no-store' } : {}) };
    return { status, headers: tagged, body: text, type, expires };
  }

  /** A result as it is stored for a repetition of the request; undefined if a responder sends it. */
  async store(restContext: RestContext, answer: RestResponse): Promise<StoredResponse | undefined> {
    if (answer.outcome !== undefined && this.#product.responders[answer.outcome]) return undefined;
    const { status, headers, body, type } = await this.render(restContext, answer);
    return { status, headers, text: body === undefined ? undefined : String(body), type };
  }

  /** Sends a stored response once more. */
  sendStored(restContext: RestContext, { status, headers, text, type }: StoredResponse): void {
    if (restContext.events) restContext.events.end(status < 400 ? 'answer' : 'error', text && JSON.parse(text));
    else {
      const all = { ...headers, 'Idempotency-Replayed': 'true' };
      this.send(restContext, { status, headers: all, body: text, type: type ?? this.#product.jsonType });
    }
  }

  /** Sends 304. */
  sendNotModified(restContext: RestContext, headers: HeaderFields): void {
    this.send(restContext, { status: 304, headers, body: undefined });
  }

  send(restContext: RestContext, { status, headers = {}, body, type }: ErrorResponse): void {
    const { response, request, headOnly } = restContext;
    if (response.destroyed) return;
    // Before anything is set, so that a value without JSON is answered as a defect.
    const text =
      body === undefined || Buffer.isBuffer(body) ? body : type === undefined ? formatJson(body) : String(body);
    restContext.status = status;
    this.setHeaders(restContext, headers);
    response.statusCode = status;
    if (text !== undefined) {
      response.setHeader('Content-Type', type ?? this.#product.jsonType);
      response.setHeader('Content-Length', Buffer.byteLength(text));
    } else if (status !== 204 && status !== 304) response.setHeader('Content-Length', 0);
    endResponse(request, response, headOnly ? undefined : text, this.#product.maxBodyBytes);
  }
}

/** The result of an operation as text: as the product renders it, else JSON. */
export async function renderBody({ render }: Product, body: unknown, restContext: RestContext): Promise<RenderedBody> {
  const { operation } = restContext;
  return render && operation ? render(operation, body, restContext) : { text: await formatBodyInTurns(body) };
}
