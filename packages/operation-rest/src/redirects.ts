import type { Product, ResolvedResource, RestContext } from './product.ts';
import { formatUrl } from './request-target.ts';
import { formatIdPath, type RequestedResource } from './resource-aliases.ts';
import type { ResponseWriter } from './response-writer.ts';

/** The redirects that routing sends before an operation is executed. */
export class Redirects {
  readonly #product: Product;
  readonly #writer: ResponseWriter;

  constructor(product: Product, writer: ResponseWriter) {
    this.#product = product;
    this.#writer = writer;
  }

  /** 301 to the same path with a trailing slash. */
  addSlash(restContext: RestContext): void {
    const { pathname, search } = restContext.target;
    const Location = formatUrl(restContext.origin, `${pathname}/`, search);
    this.#writer.send(restContext, { status: 301, headers: { Location }, body: undefined });
  }

  /** 302 to the path by id, without its trailing slash (`@rest(slash: REDIRECT)`). */
  dropSlash(restContext: RestContext, resource: RequestedResource, found: ResolvedResource): void {
    const { origin, target } = restContext;
    const pathname = resource.isById ? target.pathname : formatIdPath(resource.alias, found, restContext);
    const Location = formatUrl(origin, pathname.replace(/\/$/, ''), target.search);
    const { redirectType } = this.#product;
    const headers = { ...(redirectType === undefined ? {} : { 'Content-Type': redirectType }), Location };
    this.#writer.send(restContext, { status: 302, headers, body: undefined });
  }

  /** 301 for reads and 307 for writes, to the path by id of a resource whose name has changed. */
  toMoved(restContext: RestContext, resource: RequestedResource, found: ResolvedResource): void {
    const { request, origin, target, headOnly } = restContext;
    const status = headOnly || request.method === 'GET' ? 301 : 307;
    const Location = formatUrl(origin, formatIdPath(resource.alias, found, restContext), target.search);
    const body = this.#product.moved?.body(Location, restContext);
    this.#writer.send(restContext, { status, headers: { Location }, body });
  }
}
