import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/**
 * Public origin of a request: `BASE_URL` when set; else what the request was sent to, believing X-Forwarded-* only from
 * trusted proxies (Express decides). A Host header that makes no address falls back to where the server listens.
 */
export function originOf(baseUrl: string | undefined): (request: IncomingMessage) => string {
  if (baseUrl !== undefined) return () => baseUrl;
  return request => {
    const { secure, host } = request as Request;
    // Of X-Forwarded-Proto nothing but «https» is taken over: it may hold any text.
    const protocol = secure ? 'https' : 'http';
    if (host && /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/.test(host)) return `${protocol}://${host}`;
    const { localAddress, localPort } = request.socket;
    return `${protocol}://${localAddress?.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
  };
}
