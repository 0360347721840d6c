import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { PublicOrigin } from '../config/public-origin.ts';
import type { HostAllowlist } from './host-allowlist.ts';

/**
 * Origin of the links in the answer to a request: `BASE_URL` when set; else what the request was sent to, where that host is
 * allowed, believing X-Forwarded-* only from trusted proxies (Express decides). A request that names no allowed host, as one
 * of HTTP/1.0 may, gets the public origin. What is sent to others than the caller uses `PublicOrigin` alone.
 */
export function originResolver(
  baseUrl: string | undefined,
  hosts: HostAllowlist,
  publicOrigin: PublicOrigin,
): (request: IncomingMessage) => string {
  if (baseUrl !== undefined) return () => baseUrl;
  return request => {
    const { secure, host } = request as Request;
    if (!host || !hosts.allows(host, secure)) return publicOrigin.value;
    // Of X-Forwarded-Proto nothing but «https» is taken over: it may hold any text.
    return `${secure ? 'https' : 'http'}://${host}`;
  };
}
