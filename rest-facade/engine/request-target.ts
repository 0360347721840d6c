import type { IncomingMessage } from 'node:http';
import type { RequestTarget } from './product.ts';

/** What a request asks for, or undefined for `*` and the like. */
export function parseRequestTarget({ url = '/' }: IncomingMessage): RequestTarget | undefined {
  const target = url.startsWith('/') ? url : afterAuthority(url);
  if (target === undefined) return undefined;
  const mark = target.indexOf('?');
  return mark < 0 ? { pathname: target, search: '' } : { pathname: target.slice(0, mark), search: target.slice(mark) };
}

/** A request line may name a whole address, as it does towards a proxy. */
function afterAuthority(url: string): string | undefined {
  const rest = /^https?:\/\/[^/?#]+(.*)$/is.exec(url)?.[1];
  return rest === undefined || rest.startsWith('/') ? rest : `/${rest}`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The address of a target. What would end it early in a header or in markup is percent-encoded; the rest stays as sent. */
export function formatUrl(origin: string, pathname: string, search: string): string {
  return `${origin}${`${pathname}${search}`.replace(/["#<>]/g, percentEncoded)}`;
}
