/** Whether a value is nested deeper than so many levels. Stops there, so that no depth is too much for it. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(one => isDeeperThan(one, levels - 1))
}
