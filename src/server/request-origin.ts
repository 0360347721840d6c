import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { PublicOrigin } from '../config/public-origin.ts';
import type { HostAllowlist } from './host-allowlist.ts';

/**
 * Origin of links in the response: `BASE_URL` if set; else the host of the request if it is allowed, with X-Forwarded-* only
 * from trusted proxies (Express applies them); else the public origin. Content that leaves the request uses `PublicOrigin`
 * instead.
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
    // X-Forwarded-Proto may contain any text, so only «https» is used.
    return `${secure ? 'https' : 'http'}://${host}`;
  };
}
