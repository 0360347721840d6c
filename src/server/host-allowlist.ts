import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { ProblemError } from 'operation-rest';
import type { Config } from '../config/config.ts';
import { type AllowedHost, isLoopback, parseHostName } from '../config/host-name.ts';
import { problemWith } from './error-responses.ts';
import { namesOneHost } from './request-target.ts';

/** Cached hosts. Clients use few, and parsing one takes about 1 µs. */
const maxCachedHosts = 100;

/** Paths that orchestrators and Prometheus request by container address, which no setting can list. Responses have no links. */
const probePaths = new Set(['/livez', '/readyz', '/metrics']);

/**
 * Accepted values of the Host header: the host of `BASE_URL` with any port (a proxy may send its own or none), loopback names
 * with any port (for port forwarding), and `ALLOWED_HOSTS`. Protects against Host header injection and DNS rebinding.
 */
export class HostAllowlist {
  readonly #allowed: readonly AllowedHost[];
  readonly #known = new Map<string, boolean>();

  constructor({ BASE_URL, ALLOWED_HOSTS }: Pick<Config, 'BASE_URL' | 'ALLOWED_HOSTS'>) {
    const base = BASE_URL === undefined ? undefined : parseHostName(new URL(BASE_URL).hostname);
    this.#allowed = base ? [{ ...base, match: 'exact' }, ...ALLOWED_HOSTS] : ALLOWED_HOSTS;
  }

  /**
   * @param host name and port as sent
   * @param secure whether the request used https, with 443 as the default port
   */
  allows(host: string, secure: boolean): boolean {
    const key = `${secure} ${host}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const allowed = this.#find(host, secure);
    // Only allowed hosts are cached: an attacker can send any number of others.
    if (allowed && this.#known.size < maxCachedHosts) this.#known.set(key, true);
    return allowed;
  }

  /**
   * Whether the request names an accepted host, or none with HTTP/1.0.
   * @param request with the prototype of an Express request, which applies X-Forwarded-Host of trusted proxies
   */
  allowsRequest(request: IncomingMessage): boolean {
    const { secure, host, headers, httpVersion } = request as Request;
    if (host === undefined) return httpVersion === '1.0' && headers.host === undefined;
    return this.allows(host, secure);
  }

  #find(host: string, secure: boolean): boolean {
    const sent = parseHostName(host);
    if (!sent) return false;
    const port = sent.port ?? (secure ? 443 : 80);
    return isLoopback(sent.name) || this.#allowed.some(one => covers(one, sent.name, port));
  }
}

function covers({ match, name, port }: AllowedHost, sent: string, sentPort: number): boolean {
  if (port !== undefined && port !== sentPort) return false;
  const isBelow = sent.endsWith(`.${name}`);
  switch (match) {
    case 'any':
      return true;
    case 'exact':
      return sent === name;
    case 'subdomains':
      return isBelow;
    case 'domain':
      return isBelow || sent === name;
  }
}

/** Rejects a request to any other host with 421 (RFC 9110, 15.5.20) before any work is done. */
export function requireAllowedHost(hosts: HostAllowlist): RequestHandler {
  return (request, _response, next) => {
    if (!namesOneHost(request)) {
      next(new ProblemError(problemWith(400, 'BAD_REQUEST', 'A request needs exactly one Host header.')));
      return;
    }
    const isProbe = (request.method === 'GET' || request.method === 'HEAD') && probePaths.has(request.path);
    if (isProbe || hosts.allowsRequest(request)) next();
    else next(new ProblemError(problemWith(421, 'MISDIRECTED_REQUEST', misdirectedMessage)));
  };
}

const misdirectedMessage =
  'This server does not answer for the host that the request names. Its operator allows a host by BASE_URL or ALLOWED_HOSTS.';
