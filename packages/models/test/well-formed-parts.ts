import type { ModelPart } from '@toolwire/core'
import { expect } from 'vitest'

/** What every reader of parts relies on. */
export function expectWellFormed(parts: readonly ModelPart[]): void {
  const open = new Set<number>()
  const known = new Set<number>()
  parts.forEach((part, i) => {
    const isLast = i === parts.length - 1
    expect(part.type === 'end' || part.type === 'error').toBe(isLast)
    if (part.type === 'block-start') {
      expect(known.has(part.index)).toBe(false)
      known.add(part.index)
      open.add(part.index)
    }
    if (part.type === 'block-delta') expect(open.has(part.index)).toBe(true)
    if (part.type === 'block-end') expect(open.delete(part.index)).toBe(true)
    if (part.type === 'end') expect(open.size).toBe(0)
    if ('usage' in part && part.usage)
      for (const count of Object.values(part.usage))
        expect(typeof count === 'boolean' || (Number.isFinite(count) && count >= 0)).toBe(true)
  })
  expect(parts.length).toBeGreaterThan(0)
  expect(parts.filter(part => part.type === 'start').length).toBeLessThanOrEqual(1)
  JSON.stringify(parts)
}
