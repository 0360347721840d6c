import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Facade, RouteTable } from 'operation-rest';
import { asksForHtml } from '../pages/asks-for-html.ts';
import { contentSecurityPolicy } from '../pages/content-security-policy.ts';
import { renderProblem } from '../pages/render-page.tsx';
import { pathOf } from './request-target.ts';

/** What decides whether a request gets a page; the fields of Node's request. */
export type PageRequest = Pick<IncomingMessage, 'method' | 'headers'> & { url: string };

export interface PageMatchers {
  isForPage(request: PageRequest): boolean;
  /** Whether a browser reads a path that neither the pages nor the contract have. */
  isForNothing(request: PageRequest): boolean;
  /** Whether a request writes to a path that a page alone has, below a fixed segment. */
  isReadOnlyPage(request: PageRequest): boolean;
}

/**
 * Whether a request is for a page: a read of a path that the contract does not serve, by a client that takes HTML. A page whose path
 * the contract serves as well is for clients that ask for HTML by name.
 */
export function pageMatchers(pages: Facade, contract: Facade): PageMatchers {
  const own = new RouteTable<true>();
  for (const { operation } of pages.endpoints)
    if (!operation.path.startsWith('/{')) own.add(operation.file, operation.method, operation.path, true);
  return {
    isForPage: ({ method, headers, url }) => {
      const { accept } = headers;
      if (!isRead(method)) return false;
      const isBrowser = asksForHtml(accept);
      // The API tells clients that they need a User-Agent.
      if (!isBrowser && (!headers['user-agent'] || !(accept ?? '*/*').includes('*/*'))) return false;
      const path = pathOf(url);
      if (contract.serves(path)) return isBrowser && own.match(path).length > 0;
      return pages.serves(path);
    },
    isForNothing: ({ method, headers, url }) =>
      isRead(method) && asksForHtml(headers.accept) && !contract.serves(pathOf(url)),
    isReadOnlyPage: ({ method, url }) => {
      if (isRead(method)) return false;
      const path = pathOf(url);
      return own.match(path).length > 0 && !contract.serves(path);
    },
  };
}

export const isForStartPage = ({ method, url, headers }: PageRequest): boolean =>
  isRead(method) && pathOf(url) === '/' && asksForHtml(headers.accept);

let absentPage: Buffer | undefined;

/** Tells a browser that there is nothing at an address. The page is the same for everybody: no limit of requests counts it. */
export function sendAbsentPage(response: ServerResponse): true {
  absentPage ??= Buffer.from(renderProblem(404));
  response.writeHead(404, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': absentPage.length,
    'Content-Security-Policy': contentSecurityPolicy,
    'Cache-Control': 'no-store',
  });
  response.end(absentPage);
  return true;
}

const isRead = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';
