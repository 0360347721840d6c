import { BlockList, isIP } from 'node:net';

/** What the operator lets be reached although it is private. */
export interface AllowedHosts {
  /** `name` in the spelling that `hostOf` gives. */
  hasName(name: string): boolean;
  hasAddress(address: string): boolean;
}

/** From what the setting OUTBOUND_ALLOWED_HOSTS lists: names, addresses and ranges such as `10.1.0.0/16`. */
export function allowedHosts(entries: readonly string[]): AllowedHosts {
  const names = new Set<string>();
  const ranges = new BlockList();
  for (const entry of entries) {
    const [net = '', prefix] = entry.split('/');
    const version = isIP(net);
    if (version === 0) names.add(normalizeHost(entry) ?? entry);
    else
      ranges.addSubnet(
        net,
        prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix),
        `ipv${version as 4 | 6}`,
      );
  }
  return {
    hasName: name => names.has(name),
    hasAddress(address) {
      const version = isIP(address);
      return version !== 0 && ranges.check(address, version === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/**
 * The one spelling of a host, as browsers would connect to it: lower case, international names in ASCII, numbers of any
 * base as a dotted address, no dot at the end, no brackets. Undefined for what is no host.
 */
export function normalizeHost(text: string): string | undefined {
  const isBareV6 = isIP(text) === 6;
  // Only a host: otherwise `a@b`, `a/b` and `a:1` would be read as more than one.
  if (!isBareV6 && /[/\\?#@\s]|:(?![^[]*\])/.test(text)) return undefined;
  const url = URL.parse(`http://${isBareV6 ? `[${text}]` : text}/`);
  return url === null || url.hostname === '' ? undefined : hostOfUrl(url);
}

/** The host of a URL in the same spelling. */
export const hostOfUrl = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
