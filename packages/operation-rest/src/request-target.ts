import type { HttpRequest } from './http-messages.ts';
import type { RequestTarget } from './product.ts';

/** The path and query of a request; undefined for a target without a path, such as `*`. */
export function parseRequestTarget({ url = '/' }: HttpRequest): RequestTarget | undefined {
  const target = url.startsWith('/') ? url : afterAuthority(url);
  if (target === undefined) return undefined;
  const mark = target.indexOf('?');
  return mark < 0 ? { pathname: target, search: '' } : { pathname: target.slice(0, mark), search: target.slice(mark) };
}

/** The absolute form of a request target (RFC 9112, 3.2.2), which clients send to proxies. */
function afterAuthority(url: string): string | undefined {
  const rest = /^https?:\/\/[^/?#]+(.*)$/is.exec(url)?.[1];
  return rest === undefined || rest.startsWith('/') ? rest : `/${rest}`;
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A URL for a header or a body. Only characters that would end it early in a header or in markup are percent-encoded. */
export function formatUrl(origin: string, pathname: string, search: string): string {
  return `${origin}${`${pathname}${search}`.replace(/["#<>]/g, percentEncode)}`;
}
