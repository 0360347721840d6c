import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type AllowedHosts, allowedHosts, hostOfUrl, normalizeHost } from './allowed-hosts.ts';
import { OutboundError } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

/** Resolves a name to all of its addresses. If it rejects, the guard allows no connection. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/** Decides which user-supplied addresses this installation may connect to (SSRF protection). */
export interface AddressGuard {
  /** Parses a URL. @throws OutboundError `blocked` if it is not allowed. Names are resolved only when a connection is made. */
  parseUrl(text: string): URL;
  /** Resolves a host to its allowed addresses, at least one. @throws OutboundError `blocked` or `unresolved` */
  resolveAddresses(host: string): Promise<string[]>;
  /** Whether OUTBOUND_ALLOWED_HOSTS names the host of a URL. */
  isOperatorHost(url: URL): boolean;
  /** Whether an open connection may be used; `address` is the remote address of the socket. */
  isAllowed(host: string, address: string | undefined): boolean;
}

export interface AddressGuardOptions {
  /** The setting OUTBOUND_ALLOWED_HOSTS. */
  allow: readonly string[];
  /** Replaces the resolvers, in tests. */
  resolve?: ResolveHost;
}

const blockedError = (message: string): OutboundError => new OutboundError('blocked', message);

/** Characters; four times the limit of most servers. */
const maxUrlLength = 8192;

export function createAddressGuard({ allow, resolve }: AddressGuardOptions): AddressGuard {
  const allowed = allowedHosts(allow);
  const resolvePublic = resolve ?? resolveByDns();
  const resolveAllowed = resolve ?? resolveBySystem;
  const isAllowed = (host: string, address: string | undefined): boolean =>
    address !== undefined && (allowed.hasName(host) || allowed.hasAddress(address) || isPublicAddress(address));
  return {
    isAllowed,
    parseUrl: text => parseAllowedUrl(text, allowed),
    isOperatorHost: url => isListed(hostOfUrl(url), allowed),
    async resolveAddresses(text) {
      const host = normalizeHost(text);
      if (host === undefined) throw blockedError('This is not a host.');
      assertHostAllowed(host, allowed);
      if (isIP(host) !== 0) return [host];
      const found = await (allowed.hasName(host) ? resolveAllowed : resolvePublic)(host).catch(() => []);
      if (found.length === 0) throw new OutboundError('unresolved', 'The name of the host cannot be resolved.');
      // A name with a public and a private address is allowed: the connection uses an allowed address only.
      const open = found.filter(address => isAllowed(host, address));
      if (open.length === 0) throw blockedError('The host has no public address.');
      return open;
    },
  };
}

function parseAllowedUrl(text: string, allowed: AllowedHosts): URL {
  const url = text.length > maxUrlLength ? null : URL.parse(text);
  if (url === null) throw blockedError('This is not a URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blockedError('Only http and https may be used.');
  if (url.username !== '' || url.password !== '') throw blockedError('A URL must not hold a name or a password.');
  const host = hostOfUrl(url);
  assertHostAllowed(host, allowed);
  const isAllowed = isListed(host, allowed);
  // Ports below 1024 serve mail, files and remote shells, some of which execute lines of an HTTP request as commands.
  if (!isAllowed && !['', '80', '443'].includes(url.port) && Number(url.port) < 1024) {
    throw blockedError('Of the ports below 1024 only 80 and 443 may be used.');
  }
  return url;
}

const isListed = (host: string, allowed: AllowedHosts): boolean => allowed.hasName(host) || allowed.hasAddress(host);

/** The checks that need no name resolution. */
function assertHostAllowed(host: string, allowed: AllowedHosts): void {
  if (allowed.hasName(host)) return;
  const isClosed =
    isIP(host) === 0 ? /^$|(^|\.)localhost$/.test(host) : !(allowed.hasAddress(host) || isPublicAddress(host));
  if (isClosed) throw blockedError('The host has no public address.');
}

/**
 * Resolves by DNS. Rejected: the lookup of the operating system, which knows the names of this machine and its network, and which
 * runs on libuv's four threads, where a slow name server would block password hashes and file access.
 */
function resolveByDns(): ResolveHost {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async name => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return [four, six].flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** Resolves a name that the operator allows, with the hosts file of this machine. */
const resolveBySystem: ResolveHost = async name => (await lookup(name, { all: true })).map(({ address }) => address);
