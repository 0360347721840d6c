import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { ProblemError } from '../../rest-facade/engine/problem.ts';
import type { Config } from '../config/config.ts';
import { type AllowedHost, isLoopback, parseHostName } from '../config/host-name.ts';
import { problemWith } from './error-responses.ts';
import { namesOneHost } from './request-target.ts';

/** Hosts remembered with their outcome: callers use few, and reading one costs about 1 µs. */
const maxCachedHosts = 100;

/** Paths that orchestrators and Prometheus ask by the address of a container, which no setting can know. They hold no links. */
const probePaths = new Set(['/livez', '/readyz', '/metrics']);

/**
 * The hosts that requests may be sent to: the one of `BASE_URL` with any port (a proxy may name its own or none), loopback
 * names with any port (a port forward has another one), and `ALLOWED_HOSTS`. Anything else is no request to us: a poisoned
 * Host header, or a page of an attacker whose name resolves to our address (DNS rebinding).
 */
export class HostAllowlist {
  readonly #allowed: readonly AllowedHost[];
  readonly #known = new Map<string, boolean>();

  constructor({ BASE_URL, ALLOWED_HOSTS }: Pick<Config, 'BASE_URL' | 'ALLOWED_HOSTS'>) {
    const base = BASE_URL === undefined ? undefined : parseHostName(new URL(BASE_URL).hostname);
    this.#allowed = base ? [{ ...base, reach: 'exact' }, ...ALLOWED_HOSTS] : ALLOWED_HOSTS;
  }

  /** `host`: name and port as sent. `secure`: whether the caller came by https, whose port is 443 where none is named. */
  allows(host: string, secure: boolean): boolean {
    const key = `${secure} ${host}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const allowed = this.#find(host, secure);
    // Only hosts that are allowed are remembered: others come in any number.
    if (allowed && this.#known.size < maxCachedHosts) this.#known.set(key, true);
    return allowed;
  }

  /**
   * Whether a request may be answered. `request` has been given the prototype of an Express request, which knows the host that
   * a trusted proxy was asked for. HTTP/1.0 needs no Host, and what names none can mislead nobody.
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

function covers({ reach, name, port }: AllowedHost, sent: string, sentPort: number): boolean {
  if (port !== undefined && port !== sentPort) return false;
  const isBelow = sent.endsWith(`.${name}`);
  switch (reach) {
    case 'any':
      return true;
    case 'exact':
      return sent === name;
    case 'below':
      return isBelow;
    case 'under':
      return isBelow || sent === name;
  }
}

/** Ends a request to a host that is not ours with 421 (RFC 9110, 15.5.20), before anything is done for it. */
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
