/** Non-public network addresses: loopback, private, link-local, reserved. Tools reach only the others. */
import { BlockList, isIP } from 'node:net'

const V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
/** Of the one range that is given out to the public, what is not: tunnels, documentation, protocol use. */
const V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const reserved = new BlockList()
for (const [net, bits] of V4) reserved.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of V6) reserved.addSubnet(net, bits, 'ipv6')
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

/** False for anything that is no address. Addresses of IPv4 inside IPv6 are taken for no public ones. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reserved.check(address, 'ipv4')
    case 6:
      return global.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
    default:
      return false
  }
}
