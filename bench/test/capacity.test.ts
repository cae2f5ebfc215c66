/** The capacity model of the documents is the computed one, from the number beside it. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { capacityOf } from '../capacity.ts'

const page = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8')
const toNumber = (text: string | undefined): number => Number(text?.replaceAll(',', ''))

it('rounds down to two digits', () => {
  expect(capacityOf(59_375)).toEqual({ answersAtOnce: 1100, people: 11_000 })
  expect(capacityOf(500)).toEqual({ answersAtOnce: 10, people: 100 })
  expect(capacityOf(50)).toEqual({ answersAtOnce: 1, people: 10 })
})

it('gives the numbers of docs/scale.md for its throughput', () => {
  const stored = toNumber(/^\| PostgreSQL store, one node \| ([\d,]+) events\/s/m.exec(page)?.[1])
  const told = /about ([\d,]+) answers streaming[\s\S]+?about ([\d,]+) people in conversation/.exec(page)
  expect(stored).toBeGreaterThan(0)
  expect({ answersAtOnce: toNumber(told?.[1]), people: toNumber(told?.[2]) }).toEqual(capacityOf(stored))
})
