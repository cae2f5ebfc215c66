/**
 * Runs a program again in a separate network namespace (Linux, with unshare and ip) with small buffers: with the
 * usual ones a thousand stalled readers take more than the kernel has for all connections.
 */
import { spawnSync } from 'node:child_process'

const INSIDE = 'TOOLWIRE_OWN_NETWORK'
/** As an ordinary user, with a user namespace around it. */
const WAYS: readonly (readonly string[])[] = [
  ['unshare', '--net'],
  ['unshare', '--map-root-user', '--net'],
]
const SET_UP = 'ip link set lo up && echo 4096 16384 262144 > /proc/sys/net/ipv4/tcp_wmem && exec "$@"'

/** True inside of it. Outside, ends the process with the code of the run inside; false when no such network can be had. */
export function isInOwnNetwork(): boolean {
  if (process.env[INSIDE] !== undefined) return true
  const way = WAYS.find(one => run(one, ['true'], 'ignore') === 0)
  if (!way) return false
  process.exit(run(way, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], 'inherit') ?? 1)
}

function run(
  [command = '', ...rest]: readonly string[],
  program: readonly string[],
  stdio: 'ignore' | 'inherit',
): number | null {
  const env = { ...process.env, [INSIDE]: '1' }
  return spawnSync(command, [...rest, 'sh', '-c', SET_UP, 'sh', ...program], { stdio, env }).status
}
