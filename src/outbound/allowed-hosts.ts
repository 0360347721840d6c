import { BlockList, isIP } from 'node:net';

/** Private hosts that the operator allows as destinations. */
export interface AllowedHosts {
  /** `name` as `normalizeHost` returns it. */
  hasName(name: string): boolean;
  hasAddress(address: string): boolean;
}

/** Parses the setting OUTBOUND_ALLOWED_HOSTS: names, addresses and ranges such as `10.1.0.0/16`. */
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
 * Normalizes a host as the URL standard does: lower case, international names in ASCII, numbers of any base as a dotted address;
 * without a trailing dot and brackets. Undefined for a text that is no host.
 */
export function normalizeHost(text: string): string | undefined {
  const isBareV6 = isIP(text) === 6;
  // Rejects user info, path and port: `a@b`, `a/b` and `a:1` would otherwise parse.
  if (!isBareV6 && /[/\\?#@\s]|:(?![^[]*\])/.test(text)) return undefined;
  const url = URL.parse(`http://${isBareV6 ? `[${text}]` : text}/`);
  return url === null || url.hostname === '' ? undefined : hostOfUrl(url);
}

/** The normalized host of a URL. */
export const hostOfUrl = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
