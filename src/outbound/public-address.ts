import { BlockList, isIP } from 'node:net';

/** IPv4 ranges that are not on the public Internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const nonPublicV4 = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8], // this host
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT, and services of clouds
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // a public address that a cloud uses for its platform services
  ['169.254.0.0', 16], // link-local: metadata of clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
] as const) {
  nonPublicV4.addSubnet(net, prefix, 'ipv4');
}

/**
 * The allocated block of global unicast IPv6. All others are refused: loopback, mapped, NAT64, private, link-local, multicast.
 */
const globalUnicastV6 = new BlockList();
globalUnicastV6.addSubnet('2000::', 3, 'ipv6');

/** Ranges within it that are no host addresses, or that contain an IPv4 address. */
const nonPublicV6 = new BlockList();
for (const [net, prefix] of [
  ['2001::', 23], // Teredo and other protocols
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
] as const) {
  nonPublicV6.addSubnet(net, prefix, 'ipv6');
}

/** Whether an address, in any format that `net.isIP` accepts, is on the public Internet. */
export function isPublicAddress(address: string): boolean {
  const plain = address.split('%', 1)[0] ?? '';
  const version = isIP(plain);
  if (version === 4) return !nonPublicV4.check(plain, 'ipv4');
  return version === 6 && globalUnicastV6.check(plain, 'ipv6') && !nonPublicV6.check(plain, 'ipv6');
}
