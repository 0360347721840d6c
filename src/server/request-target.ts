import type { IncomingMessage } from 'node:http';

/**
 * Rewrites the request target to origin form. For an absolute URL its host replaces the Host header (RFC 9112, 3.2.2); user
 * information is dropped and never logged. `OPTIONS *` is unchanged; no path matches it.
 * @returns false for any other form, which Express cannot parse, and for a target with a fragment, which Express would ignore
 */
export function normaliseTarget(request: IncomingMessage): boolean {
  const { url = '/' } = request;
  const isValid = !url.includes('#');
  if (url.startsWith('/') || (url === '*' && request.method === 'OPTIONS')) return isValid;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  request.headers.host = new URL(url).host;
  // The path as sent, with dot segments: a normalized URL would reach another path than the same text in origin form.
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  request.url = target.startsWith('/') ? target : `/${target}`;
  // After the rewrite: the path decides the shape of the error.
  return isValid;
}

/**
 * Whether the request has exactly one Host header (RFC 9112, 3.2), or none with HTTP/1.0. Node.js ignores a second one, and a
 * proxy that uses the last one would mean another host.
 */
export function namesOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

/** The path of a request target, without its query. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}
