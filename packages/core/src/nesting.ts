/** True if a value is nested deeper than this many levels. Stops there, so any depth is safe. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(one => isDeeperThan(one, levels - 1))
}
