import type { ModelPart } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBlockSequencer } from '../../src/loop/sequence-blocks.ts'

const start = (index: number): ModelPart => ({ type: 'block-start', index, kind: 'text' })
const delta = (index: number, text: string): ModelPart => ({ type: 'block-delta', index, text })
const end = (index: number): ModelPart => ({ type: 'block-end', index })

/** Any interleaving of well-formed blocks. */
const interleaved = fc
  .array(fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 }), { maxLength: 5 })
  .chain(blocks => {
    const lanes = blocks.map((texts, i) => [start(i), ...texts.map(t => delta(i, t)), end(i)])
    const total = lanes.reduce((n, lane) => n + lane.length, 0)
    return fc.array(fc.nat(), { minLength: total, maxLength: total }).map(choices => {
      const left = lanes.map(lane => [...lane])
      return choices.map(c => {
        const open = left.filter(lane => lane.length > 0)
        return open[c % open.length]?.shift() as ModelPart
      })
    })
  })

test('blocks come out one after another, complete and unchanged, whatever the interleaving', () => {
  fc.assert(
    fc.property(interleaved, parts => {
      const sequencer = createBlockSequencer()
      const out = [...parts.flatMap(p => sequencer.push(p)), ...sequencer.flush()]
      let open: number | undefined
      for (const part of out) {
        if (!('index' in part)) continue
        if (part.type === 'block-start') expect(open).toBeUndefined()
        if (part.type === 'block-start') open = part.index
        expect(part.index).toBe(open)
        if (part.type === 'block-end') open = undefined
      }
      const ofBlock = (list: readonly ModelPart[], i: number) =>
        list.filter(p => 'index' in p && p.index === i)
      for (let i = 0; i < 5; i++) expect(ofBlock(out, i)).toEqual(ofBlock(parts, i))
    }),
  )
})

test('a block that the model left open is closed by flush, with those that waited behind it', () => {
  const sequencer = createBlockSequencer()
  const out = [start(0), start(1), delta(1, 'b'), delta(0, 'a')].flatMap(p => sequencer.push(p))
  expect([...out, ...sequencer.flush()]).toEqual([
    start(0),
    delta(0, 'a'),
    end(0),
    start(1),
    delta(1, 'b'),
    end(1),
  ])
})

test('parts of a block that never started are dropped', () => {
  const sequencer = createBlockSequencer()
  expect([delta(7, 'x'), end(7)].flatMap(p => sequencer.push(p))).toEqual([])
})

test.for([
  ['when the block before them ends', [end(1), end(0)]],
  ['when the model leaves everything open', []],
] as const)('very many parts that waited are passed on %s', ([, last]) => {
  const many = 200_000
  const sequencer = createBlockSequencer()
  let told = [start(0), start(1)].flatMap(part => sequencer.push(part)).length
  for (let n = 0; n < many; n++) told += sequencer.push(delta(1, `${n}`)).length
  expect(told).toBe(1)
  const out = [...last.flatMap(part => sequencer.push(part)), ...sequencer.flush()]
  expect(out).toHaveLength(many + 3)
  expect([out[0], out[1], out[2], out.at(-2), out.at(-1)]).toEqual([
    end(0),
    start(1),
    delta(1, '0'),
    delta(1, `${many - 1}`),
    end(1),
  ])
})
