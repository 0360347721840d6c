import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type AllowedHosts, allowedHosts, hostOfUrl, normalizeHost } from './allowed-hosts.ts';
import { OutboundError } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

/** All addresses of a name. Rejects when they cannot be found out; the guard then lets nothing through. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/** Decides where this installation connects to on somebody else's word. */
export interface AddressGuard {
  /** Reads a URL. Throws OutboundError `blocked` on what may not be asked; names are only looked up when they are. */
  parseUrl(text: string): URL;
  /** Addresses of a host that may be connected to, at least one. Throws OutboundError `blocked` or `unresolved`. */
  resolveAddresses(host: string): Promise<string[]>;
  /** Whether a connection that stands may be used: what the socket says it is connected to. */
  isAllowed(host: string, address: string | undefined): boolean;
}

export interface AddressGuardOptions {
  /** The setting OUTBOUND_ALLOWED_HOSTS. */
  allow: readonly string[];
  /** In place of the name servers of the machine. */
  resolve?: ResolveHost;
}

const blockedError = (message: string): OutboundError => new OutboundError('blocked', message);

/** Longest URL; the limit of most servers is a quarter of it. */
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
    async resolveAddresses(text) {
      const host = normalizeHost(text);
      if (host === undefined) throw blockedError('This is not a host.');
      assertHostAllowed(host, allowed);
      if (isIP(host) !== 0) return [host];
      const found = await (allowed.hasName(host) ? resolveAllowed : resolvePublic)(host).catch(() => []);
      if (found.length === 0) throw new OutboundError('unresolved', 'The name of the host cannot be resolved.');
      // A name with a public and a private address is not refused: what counts is where the connection goes.
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
  const isAllowed = allowed.hasName(host) || allowed.hasAddress(host);
  // Below 1024 live mail, files and remote shells, which can be made to take an HTTP request for commands.
  if (!isAllowed && !['', '80', '443'].includes(url.port) && Number(url.port) < 1024) {
    throw blockedError('Of the ports below 1024 only 80 and 443 may be used.');
  }
  return url;
}

/** What can be said of a host before anybody is asked. */
function assertHostAllowed(host: string, allowed: AllowedHosts): void {
  if (allowed.hasName(host)) return;
  const isClosed =
    isIP(host) === 0 ? /^$|(^|\.)localhost$/.test(host) : !(allowed.hasAddress(host) || isPublicAddress(host));
  if (isClosed) throw blockedError('The host has no public address.');
}

/**
 * Asks the name servers. Not by the look-up of the operating system: that knows the names of this machine and of its
 * network, and runs on the four threads that passwords and files need too, which a slow name server would keep waiting.
 */
function resolveByDns(): ResolveHost {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async name => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return [four, six].flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** A name that the operator allows is found as this machine finds it, by its hosts file too. */
const resolveBySystem: ResolveHost = async name => (await lookup(name, { all: true })).map(({ address }) => address);
