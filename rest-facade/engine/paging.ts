import { type Operation, OperationError } from './operation.ts';
import { ProblemError } from './problem.ts';
import type { Product, RequestTarget } from './product.ts';
import { type QueryParameters, setQueryParameter } from './query-string.ts';
import { formatUrl } from './request-target.ts';

export type PageStyle = 'LINK' | 'CURSOR' | 'COUNT';

/** What each style reads from the field under `@page`; the operation must select exactly these by their own names. */
const pageFields: Record<PageStyle, readonly string[]> = {
  LINK: ['page', 'last'],
  CURSOR: ['nextCursor', 'previousCursor'],
  COUNT: ['page', 'last', 'total'],
};

type Paging = Product['paging'];
export type PageInfo = Record<string, unknown>;

/** What the Link header of an answer is made of. */
export interface PageLinks {
  style: PageStyle;
  facts: PageInfo;
  /** Entries that can be reached by page number. */
  most: number | undefined;
  /** The query string that they repeat. */
  search: string;
}

/** Where the caller wants to read: the raw texts made into what the graph takes. `last` asks for the last page by name. */
interface PageRequest {
  last: boolean;
}

/**
 * Makes the paging parameters fit in place, before they are typed: an oversized page is cut, a bad one is what the product
 * says it is, so that no list ever answers with a parameter error for them. Of a repeated key the last one counts.
 */
export function readPageParameters(operation: Operation, paging: Paging, query: QueryParameters): PageRequest {
  const has = (name: string): boolean => operation.parameters.some(one => one.name === name);
  const sizeText = query.get(paging.size)?.at(-1);
  if (sizeText !== undefined && has(paging.size)) {
    const size = parsePositive(sizeText);
    if (size === undefined) query.delete(paging.size);
    else query.set(paging.size, [String(Math.min(size, paging.largest))]);
  }
  const text = query.get(paging.page)?.at(-1);
  if (text === undefined || text === '' || !has(paging.page)) return { last: false };
  if (paging.keyword && text === paging.keyword.last) {
    query.delete(paging.page);
    return { last: true };
  }
  const page = parsePositive(text);
  if (page !== undefined) query.set(paging.page, [String(page)]);
  else if (paging.badPage === 'not-found') throw new ProblemError({ kind: 'not-found', reason: 'page' });
  else query.delete(paging.page);
  return { last: false };
}

function parsePositive(text: string): number | undefined {
  if (!/^\s*\+?\d+\s*$/.test(text)) return undefined;
  const value = Number(text);
  // Beyond every list, and still a 32-bit number for the graph.
  return value >= 1 ? Math.min(value, 2 ** 31 - 1) : undefined;
}

/** Throws for a page that begins beyond the entries that may be reached. `variables` are what the list is read with. */
export function assertPageReachable(
  most: number | undefined,
  paging: Paging,
  variables: Record<string, unknown>,
): void {
  const page = Number(variables[paging.page] ?? 1);
  const size = Number(variables[paging.size]);
  if (most !== undefined && (page - 1) * size >= most) throw new ProblemError({ kind: 'too-far' });
}

/** Stops the boot when the field under `@page` does not select what its style needs. */
export function assertPageSelection(file: string, style: PageStyle, selected: readonly string[]): void {
  const missing = pageFields[style].filter(name => !selected.includes(name));
  if (missing.length > 0)
    throw new OperationError(file, `@page(style: ${style}) needs ${missing.join(', ')} selected.`);
}

function pageCount(most: number | undefined, size: number): number {
  return most === undefined || Number.isNaN(size) ? Number.POSITIVE_INFINITY : Math.ceil(most / size);
}

/** `<url>; rel="…"` for each page there is to go to, in the published order; undefined when the list has one page. */
export function formatLinkHeader(
  { style, facts, most, search: repeated }: PageLinks,
  pathname: string,
  origin: string,
  paging: Paging,
  size: number,
): string | undefined {
  const links: string[] = [];
  const add = (rel: string, name: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    const search = setQueryParameter(repeated, name, String(value));
    links.push(`<${formatUrl(origin, pathname, search)}>; rel="${rel}"`);
  };
  if (style === 'CURSOR') {
    add('next', 'cursor', facts.nextCursor);
    add('prev', 'cursor', facts.previousCursor);
  } else {
    const page = Number(facts.page);
    const last = Math.min(Number(facts.last), pageCount(most, size));
    if (page > 1) add('prev', paging.page, Math.min(page - 1, last));
    if (page < last) add('next', paging.page, page + 1);
    if (page !== last) add('last', paging.page, last);
    if (page > 1) add('first', paging.page, 1);
  }
  return links.length > 0 ? links.join(', ') : undefined;
}

/** The envelope `{count, next, previous, results}`. Throws not-found for a page beyond the last. */
export function countEnvelope(
  facts: PageInfo,
  results: unknown,
  url: RequestTarget,
  origin: string,
  paging: Paging,
): Record<string, unknown> {
  const page = Number(facts.page);
  const last = Number(facts.last);
  if (page > last) throw new ProblemError({ kind: 'not-found', reason: 'page' });
  // The way back to the first page carries no page at all.
  const to = (number: number): string =>
    formatUrl(
      origin,
      url.pathname,
      setQueryParameter(url.search, paging.page, number === 1 ? undefined : String(number)),
    );
  return {
    count: facts.total,
    next: page < last ? to(page + 1) : null,
    previous: page > 1 ? to(page - 1) : null,
    results,
  };
}
