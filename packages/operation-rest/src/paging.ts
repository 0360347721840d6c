import { linkHeader, type PageLink } from './conventions/link-header.ts';
import type { Operation } from './operation.ts';
import { ProblemError } from './problem.ts';
import type { Product, RequestTarget } from './product.ts';
import { type QueryParameters, setQueryParameter } from './query-string.ts';
import { formatUrl } from './request-target.ts';

export type PageStyle = 'LINK' | 'CURSOR' | 'COUNT';

/** The fields that each style reads below `@page`, unless it is a connection; the operation must select them without aliases. */
const pageFields: Record<PageStyle, readonly string[]> = {
  LINK: ['page', 'last'],
  CURSOR: ['nextCursor', 'previousCursor'],
  COUNT: ['page', 'last', 'total'],
};

/** Of a connection's page information, in place of the cursors of pages: the next page is after the last item. */
const lastItemFields = ['hasNextPage', 'endCursor'] as const;

type Paging = Product['paging'];

/** The selected fields of the object below `@page`; of a connection made by `countedPage`. */
export type PageInfo = Record<string, unknown>;

/** The field of a connection from which, with the page that was requested, the numbers of the links follow; it may have an alias. */
export const countField = 'totalCount';

/** The page that was requested. */
export interface RequestedPage {
  /** From 1. */
  number: number;
  size: number;
}

/**
 * The page information of a connection with `totalCount` selected, and `pageInfo { asOf }` where it has an anchor. A list that is too
 * long to count has at least one more page.
 */
export function countedPage(connection: PageInfo, countKey: string, { number, size }: RequestedPage): PageInfo {
  const counted = connection[countKey];
  const total = counted === null ? number * size + 1 : Number(counted);
  const { asOf } = (connection.pageInfo ?? {}) as PageInfo;
  return { total, page: number, last: Math.max(1, Math.ceil(total / size)), ...(asOf === undefined ? {} : { asOf }) };
}

/** The page information with `nextCursor`, where it has the last item. @param keyOf the key in the cursor, which the link has */
export function cursorsOf(pageInfo: PageInfo, keyOf: ((cursor: string) => string) | undefined): PageInfo {
  const { hasNextPage, endCursor } = pageInfo;
  if (typeof hasNextPage !== 'boolean') return pageInfo;
  const next = hasNextPage ? String(endCursor) : null;
  return { nextCursor: next !== null && keyOf ? keyOf(next) : next, previousCursor: null };
}

/** The data of a Link header. */
export interface PageLinks {
  style: PageStyle;
  pageInfo: PageInfo;
  /** Number of entries that can be reached by page number. */
  maxEntries: number | undefined;
  /** Name of the parameter of cursors. */
  cursor: string;
  /** The query string that the links repeat. */
  search: string;
}

/** The requested page, as far as it is not a parameter of the operation. */
interface PageRequest {
  /** The keyword for the last page was sent. */
  isLast: boolean;
}

/**
 * Normalizes the paging parameters of `query` in place before they are coerced: a page size above the maximum is reduced, an
 * invalid page number is treated as `paging.badPage` says. Lists therefore never answer parameter errors for them. The last of
 * a repeated key wins. @throws ProblemError `not-found` for an invalid page number if the product says so
 */
export function readPageParameters(operation: Operation, paging: Paging, query: QueryParameters): PageRequest {
  const parameter = (name: string) => operation.parameters.find(one => one.name === name);
  const sizeText = query.get(paging.size)?.at(-1);
  if (sizeText !== undefined && parameter(paging.size)) {
    const size = parsePositive(sizeText);
    if (size === undefined) query.delete(paging.size);
    else query.set(paging.size, [String(Math.min(size, maxSizeOf(operation, paging)))]);
  }
  const text = query.get(paging.page)?.at(-1);
  const numbered = parameter(paging.page);
  if (text === undefined || text === '' || !numbered) return { isLast: false };
  if (paging.keyword && text === paging.keyword.last) {
    query.delete(paging.page);
    return { isLast: true };
  }
  const page = parsePositive(text);
  if (page !== undefined) query.set(paging.page, [String(Math.min(page, numbered.range?.max ?? page))]);
  else if (paging.badPage === 'not-found') throw new ProblemError({ kind: 'not-found', reason: 'page' });
  else query.delete(paging.page);
  return { isLast: false };
}

/** Of most operations that of the product; `@range` of the parameter names another one. */
const maxSizeOf = ({ parameters }: Operation, { size, maxSize }: Paging): number =>
  parameters.find(({ name }) => name === size)?.range?.max ?? maxSize;

function parsePositive(text: string): number | undefined {
  if (!/^\s*\+?\d+\s*$/.test(text)) return undefined;
  const value = Number(text);
  // Beyond every list, and still a GraphQL Int.
  return value >= 1 ? Math.min(value, 2 ** 31 - 1) : undefined;
}

/** @throws ProblemError `too-far` for a page that starts beyond `maxEntries` */
export function assertPageReachable(maxEntries: number | undefined, { number, size }: RequestedPage): void {
  if (maxEntries !== undefined && (number - 1) * size >= maxEntries) throw new ProblemError({ kind: 'too-far' });
}

/** The page that coerced variables ask for; `size` is NaN for a list without sizes. */
export function requestedPage(paging: Paging, variables: Readonly<Record<string, unknown>>): RequestedPage {
  return { number: Number(variables[paging.page] ?? 1), size: Number(variables[paging.size]) };
}

/** The fields that the style of `@page` needs of an object that is no connection, and that are not selected. */
export function missingPageFields(style: PageStyle, selected: readonly string[]): string[] {
  if (style === 'CURSOR' && lastItemFields.every(name => selected.includes(name))) return [];
  return pageFields[style].filter(name => !selected.includes(name));
}

function pageCount(maxEntries: number | undefined, size: number): number {
  return maxEntries === undefined || Number.isNaN(size) ? Number.POSITIVE_INFINITY : Math.ceil(maxEntries / size);
}

/** `<url>; rel="…"` for each neighbouring page, in the published order; undefined if there is none. */
export function formatLinkHeader(
  { style, pageInfo, maxEntries, cursor, search: query }: PageLinks,
  pathname: string,
  origin: string,
  paging: Paging,
  size: number,
): string | undefined {
  const links: PageLink[] = [];
  const add = (rel: PageLink['rel'], name: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    const search = setQueryParameter(query, name, String(value));
    links.push({ rel, url: formatUrl(origin, pathname, search) });
  };
  if (style === 'CURSOR') {
    add('next', cursor, pageInfo.nextCursor);
    add('prev', cursor, pageInfo.previousCursor);
  } else {
    const page = Number(pageInfo.page);
    const last = Math.min(Number(pageInfo.last), pageCount(maxEntries, size));
    if (page > 1) add('prev', paging.page, Math.min(page - 1, last));
    if (page < last) add('next', paging.page, page + 1);
    if (page !== last) add('last', paging.page, last);
    if (page > 1) add('first', paging.page, 1);
  }
  return linkHeader(links);
}

/** The product's envelope around the items of a page. @throws ProblemError `not-found` for a page beyond the last */
export function pageEnvelope(
  pageInfo: PageInfo,
  items: unknown,
  target: RequestTarget,
  origin: string,
  paging: Paging,
): Record<string, unknown> {
  const { envelope, anchor } = paging;
  if (!envelope) throw new TypeError('The product has no envelope for pages.');
  const page = Number(pageInfo.page);
  const last = Number(pageInfo.last);
  if (page > last) throw new ProblemError({ kind: 'not-found', reason: 'page' });
  // Whatever is added between the requests, later pages are those of the list that this one belongs to.
  const { asOf } = pageInfo;
  // The link to the first page has no page parameter.
  const urlOf = (number: number): string => {
    const search = setQueryParameter(target.search, paging.page, number === 1 ? undefined : String(number));
    const anchored =
      anchor !== undefined && typeof asOf === 'string' ? setQueryParameter(search, anchor, asOf) : search;
    return formatUrl(origin, target.pathname, anchored);
  };
  const next = page < last ? urlOf(page + 1) : null;
  const previous = page > 1 ? urlOf(page - 1) : null;
  return { ...envelope.head({ total: pageInfo.total, next, previous }), [envelope.itemsKey]: items };
}
