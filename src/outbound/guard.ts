import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type AllowedHosts, allowedHosts, hostOf, plainHost } from './allowed-hosts.ts';
import { OutboundError } from './outbound-error.ts';
import { isPublicAddress } from './public-address.ts';

/** All addresses of a name. Rejects when they cannot be found out; the guard then lets nothing through. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Decides where this installation connects to on somebody else's word. */
export interface Guard {
  /** Reads a URL. Throws OutboundError `blocked` on what may not be asked; names are only looked up when they are. */
  urlOf(text: string): URL;
  /** Addresses of a host that may be connected to, at least one. Throws OutboundError `blocked` or `unresolved`. */
  addressesOf(host: string): Promise<string[]>;
  /** Whether a connection that stands may be used: what the socket says it is connected to. */
  isOpen(host: string, address: string | undefined): boolean;
}

export interface GuardOptions {
  /** The setting OUTBOUND_ALLOW. */
  allow: readonly string[];
  /** In place of the name servers of the machine. */
  resolve?: Resolve;
}

const blocked = (message: string): OutboundError => new OutboundError('blocked', message);

/** Longest URL; the limit of most servers is a quarter of it. */
const longestUrl = 8192;

export function openGuard({ allow, resolve }: GuardOptions): Guard {
  const allowed = allowedHosts(allow);
  const resolveClosed = resolve ?? nameServers();
  const resolveAllowed = resolve ?? hostsFile;
  const isOpen = (host: string, address: string | undefined): boolean =>
    address !== undefined && (allowed.hasName(host) || allowed.hasAddress(address) || isPublicAddress(address));
  return {
    isOpen,
    urlOf: text => readUrl(text, allowed),
    async addressesOf(text) {
      const host = hostOf(text);
      if (host === undefined) throw blocked('This is not a host.');
      demandHost(host, allowed);
      if (isIP(host) !== 0) return [host];
      const found = await (allowed.hasName(host) ? resolveAllowed : resolveClosed)(host).catch(() => []);
      if (found.length === 0) throw new OutboundError('unresolved', 'The name of the host cannot be resolved.');
      // A name with a public and a private address is not refused: what counts is where the connection goes.
      const open = found.filter(address => isOpen(host, address));
      if (open.length === 0) throw blocked('The host has no public address.');
      return open;
    },
  };
}

function readUrl(text: string, allowed: AllowedHosts): URL {
  const url = text.length > longestUrl ? null : URL.parse(text);
  if (url === null) throw blocked('This is not a URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw blocked('Only http and https may be used.');
  if (url.username !== '' || url.password !== '') throw blocked('A URL must not hold a name or a password.');
  const host = plainHost(url);
  demandHost(host, allowed);
  const isAllowed = allowed.hasName(host) || allowed.hasAddress(host);
  // Below 1024 live mail, files and remote shells, which can be made to take an HTTP request for commands.
  if (!isAllowed && !['', '80', '443'].includes(url.port) && Number(url.port) < 1024) {
    throw blocked('Of the ports below 1024 only 80 and 443 may be used.');
  }
  return url;
}

/** What can be said of a host before anybody is asked. */
function demandHost(host: string, allowed: AllowedHosts): void {
  if (allowed.hasName(host)) return;
  const isClosed =
    isIP(host) === 0 ? /^$|(^|\.)localhost$/.test(host) : !(allowed.hasAddress(host) || isPublicAddress(host));
  if (isClosed) throw blocked('The host has no public address.');
}

/**
 * Asks the name servers. Not by the look-up of the operating system: that knows the names of this machine and of its
 * network, and runs on the four threads that passwords and files need too, which a slow name server would keep waiting.
 */
function nameServers(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async name => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return [four, six].flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/** A name that the operator allows is found as this machine finds it, by its hosts file too. */
const hostsFile: Resolve = async name => (await lookup(name, { all: true })).map(({ address }) => address);
