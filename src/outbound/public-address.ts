import { BlockList, isIP } from 'node:net';

/** IPv4 that is not the public Internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const nonPublicV4 = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8], // this machine
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // behind a carrier's NAT, and services of clouds
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // looks public, and is the platform of a cloud seen from its machines
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

/** The one block of IPv6 that is given out. Everything beside it is refused: loopback, mapped, NAT64, private, link-local, multicast. */
const globalUnicastV6 = new BlockList();
globalUnicastV6.addSubnet('2000::', 3, 'ipv6');

/** What within it is not an address of a machine, or wraps an IPv4 address. */
const nonPublicV6 = new BlockList();
for (const [net, prefix] of [
  ['2001::', 23], // Teredo and other protocols
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['3fff::', 20], // documentation
] as const) {
  nonPublicV6.addSubnet(net, prefix, 'ipv6');
}

/** Whether an address, in any spelling that `net.isIP` knows, is one of the public Internet. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 4) return !nonPublicV4.check(plain, 'ipv4');
  return version === 6 && globalUnicastV6.check(plain, 'ipv6') && !nonPublicV6.check(plain, 'ipv6');
}
