/** Logs with random wounds, drawn by both packages: nothing is thrown, and both draw the same. */
import { applyRecords, emptyView, readEnvelope } from '@toolwire/core/view'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuzzing } from '../../core/test/mutate.ts'
import { woundedRecords } from '../../core/test/wounded-records.ts'
import { drawReact, drawVue } from './draw-session.ts'
import { fixtures } from './fixtures.ts'
import { normalised } from './normalised.ts'

/** The two that are about long output take as long to draw as all others together. */
const logs = Object.values(fixtures()).filter(log => JSON.stringify(log).length < 100_000)

test('a wounded log can be drawn, and looks the same in React and Vue', async () => {
  expect(logs.length).toBeGreaterThan(10)
  const options = { locale: 'en', density: 'everything' } as const
  await fc.assert(
    fc.asyncProperty(woundedRecords(logs), async values => {
      const view = applyRecords(
        emptyView(),
        values.flatMap(value => readEnvelope(value) ?? []),
      )
      expect(normalised(await drawVue(view, options))).toEqual(normalised(drawReact(view, options)))
    }),
    fuzzing(120),
  )
})
