/** Whether a value is nested deeper than so many levels. Stops there, so that no depth is too much for it. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const inside = Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value)
  return inside.some(one => isDeeperThan(one, levels - 1))
}
