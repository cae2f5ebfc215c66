import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Table } from '../../src/view/index.ts'

describe('Table', () => {
  it('behaves like a map that is copied at every change', () => {
    const change = fc.tuple(fc.nat(120), fc.nat(9), fc.nat(3))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 300 }), changes => {
        const versions: { table: Table<number>; map: Map<string, number> }[] = [
          { table: new Table(), map: new Map() },
        ]
        for (const [id, value, back] of changes) {
          // Growing from an older version as well: versions that part ways must not see each other.
          const base = versions[Math.max(0, versions.length - 1 - back)] ?? versions[0]
          if (!base) continue
          versions.push({
            table: base.table.set(`k${id}`, value),
            map: new Map(base.map).set(`k${id}`, value),
          })
        }
        for (const { table, map } of versions) {
          expect(table.size).toBe(map.size)
          expect([...table.values()]).toEqual([...map.values()])
          for (let id = 0; id <= 120; id++) expect(table.get(`k${id}`)).toBe(map.get(`k${id}`))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('is the same table when nothing changes', () => {
    const table = new Table<number>().set('a', 1)
    expect(table.set('a', 1)).toBe(table)
  })
})
