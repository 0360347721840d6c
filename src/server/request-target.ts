import type { IncomingMessage } from 'node:http';

/**
 * Writes the target of a request as a path. A request line may name a whole address, as it does towards a proxy; its host
 * then counts and the Host header does not (RFC 9112, 3.2.2). A name and a password in it are dropped and never logged.
 * `OPTIONS *` stays as it is: no path matches it. False for everything else, on which Express would break, and for a
 * fragment, which no request has: Express would leave it out and the contracts would not.
 */
export function normaliseTarget(request: IncomingMessage): boolean {
  const { url = '/' } = request;
  if (url.includes('#')) return false;
  if (url.startsWith('/') || (url === '*' && request.method === 'OPTIONS')) return true;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  request.headers.host = new URL(url).host;
  // As sent, dots and all: an address made anew would reach a path that the same text as a path does not.
  const target = url.replace(/^https?:\/\/[^/?]*/i, '');
  request.url = target.startsWith('/') ? target : `/${target}`;
  return true;
}

/**
 * Whether it is clear which host a request means: HTTP/1.1 needs exactly one Host header (RFC 9112, 3.2). Node leaves a
 * second one out, so that a proxy that takes the last and we could mean different hosts.
 */
export function namesOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}
