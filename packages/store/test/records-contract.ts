/** What every implementation of the records port must do, as tests. */
import type { Records } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

export interface RecordsHarness {
  readonly records: Records
  /** The same data, opened a second time; undefined when the data cannot be shared. */
  readonly again?: () => Records
  readonly dispose: () => Promise<void>
}

export function describeRecordsContract(name: string, create: () => Promise<RecordsHarness>): void {
  describe(`${name} records`, () => {
    let harness: RecordsHarness
    let records: Records
    beforeEach(async () => {
      harness = await create()
      records = harness.records
    })
    afterEach(() => harness.dispose())

    it('give back what was put, and undefined for what was not', async () => {
      await records.put('key', 'a', { name: '键', list: [1, null] })
      expect(await records.get('key', 'a')).toEqual({ name: '键', list: [1, null] })
      expect(await records.get('key', 'b')).toBeUndefined()
      expect(await records.get('other', 'a')).toBeUndefined()
    })

    it('replace a value of the same id', async () => {
      await records.put('key', 'a', 1)
      await records.put('key', 'a', 2)
      expect(await records.get('key', 'a')).toBe(2)
    })

    it('keep nothing of an object that its writer changes later', async () => {
      const value = { n: 1 }
      await records.put('key', 'a', value)
      value.n = 2
      expect(await records.get('key', 'a')).toEqual({ n: 1 })
    })

    it('lose no update of many at once', async () => {
      const add = (value: unknown): number => (typeof value === 'number' ? value : 0) + 1
      await Promise.all(Array.from({ length: 20 }, () => records.update('count', 'a', add)))
      expect(await records.get('count', 'a')).toBe(20)
    })

    it('leave the value alone when the change throws', async () => {
      await records.put('count', 'a', 1)
      const change = (): never => {
        throw new Error('no')
      }
      await expect(records.update('count', 'a', change)).rejects.toThrow('no')
      expect(await records.get('count', 'a')).toBe(1)
      expect(await records.update('count', 'a', () => 2)).toBe(2)
    })

    it('list a kind in the order of ids, and its last ones', async () => {
      for (const id of ['b', 'c', 'a']) await records.put('key', id, id.toUpperCase())
      await records.put('other', 'd', 'D')
      expect((await records.list('key')).map(record => record.id)).toEqual(['a', 'b', 'c'])
      expect(await records.list('key', 2)).toEqual([
        { id: 'b', value: 'B' },
        { id: 'c', value: 'C' },
      ])
    })

    it('get many at once: those that exist, of one kind', async () => {
      for (const id of ['a', 'b', "c'", '键']) await records.put('key', id, { id })
      await records.put('other', 'd', 'D')
      const found = await records.getMany('key', ['b', "c'", '键', 'd', 'nowhere'])
      expect(new Map(found.map(({ id, value }) => [id, value]))).toEqual(
        new Map(['b', "c'", '键'].map(id => [id, { id }])),
      )
      expect(await records.getMany('key', [])).toEqual([])
    })

    it('say whether there was something to remove', async () => {
      await records.put('key', 'a', 1)
      expect(await records.remove('key', 'a')).toBe(true)
      expect(await records.remove('key', 'a')).toBe(false)
      expect(await records.get('key', 'a')).toBeUndefined()
    })

    it('show a second opener what the first one wrote', async () => {
      const second = harness.again?.()
      if (!second) return
      await records.put('key', 'a', 1)
      expect(await second.get('key', 'a')).toBe(1)
      await second.put('key', 'a', 2)
      expect(await records.get('key', 'a')).toBe(2)
      await second.close()
    })

    it('close more than once', async () => {
      await records.close()
      await records.close()
    })
  })
}
