import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { report } from '../check-bundles.ts'

const SCRIPT = fileURLToPath(new URL('../check-bundles.ts', import.meta.url))

test('core, client, react, vue and the first load of the web app keep within their budgets', () => {
  // In a separate process: a test run's NODE_ENV would measure the slow form of every library.
  const out = execFileSync(process.execPath, ['--conditions=toolwire-source', SCRIPT], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  })
  const names = [...out.matchAll(/^ok +[\d.]+ kB of [\d.]+ kB {2}(.+)$/gm)].map(match => match[1])
  expect(names).toEqual(['core', 'client', 'react', 'vue', 'web app, first load'])
})

test('a bundle over its budget is named and fails the check, and so does having weighed nothing', () => {
  const light = { name: 'light', limit: 2, bytes: 2000 }
  expect(report([light])).toMatchObject({ ok: true, lines: ['ok      2.00 kB of 2 kB  light'] })
  const { ok, lines } = report([light, { name: 'heavy', limit: 2, bytes: 2001 }])
  expect(ok).toBe(false)
  expect(lines[1]).toBe('OVER    2.00 kB of 2 kB  heavy')
  expect(report([]).ok).toBe(false)
})
