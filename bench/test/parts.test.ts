/** Every part of the benchmark, as small as it can be: it runs to its end and gives results of the product. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { describe, expect, it } from 'vitest'
import { inFolder } from '../../packages/cli/test/launch.ts'
import { checkoutVersion } from '../checkout-version.ts'
import { PARTS } from '../part.ts'
import { withMeasurement } from '../performance-page.ts'
import { settingOf } from '../setting.ts'
import { median, quantile, ratio, spread } from '../statistics.ts'
import type { Told } from '../takers.ts'

const PROXY = 'plain node:http proxy'
const SIZE = { quick: true, rounds: 1, names: ['toolwire', PROXY] }
const browser = process.env['CHROME_PATH'] ?? (await chromium.executablePath().catch(() => ''))
const parts = PARTS.filter(({ name }) => name !== 'web' || existsSync(browser))

/** Requirements of a part beside its results. */
const FURTHER: Readonly<Record<string, (told: Told) => void>> = {
  agent({ markdown }) {
    expect(markdown).toContain('8 read-only calls')
    expect(markdown).toContain(' 8 of them at once')
    expect(markdown).toMatch(/the first began -?\d+ ms before the message ended/)
  },
  'big-input'({ markdown, takers }) {
    const wires = ['chat', 'thread', 'canonical', 'AI SDK', 'AG-UI', 'Responses'].map(name => `${name} wire`)
    for (const road of [...wires, 'Anthropic', 'OpenAI'])
      for (const behind of ['Anthropic', 'OpenAI'])
        expect(markdown).toContain(`| **toolwire** | ${road} → ${behind} | 20000 |`)
    expect(takers.map(({ name }) => name)).toContain('@toolwire/client')
  },
}

describe('a smoke run', () => {
  for (const { name, run } of parts)
    it(`of ${name} ends with a table of results`, async () => {
      const told = await run(SIZE)
      expect(told.markdown).toMatch(/^\|.*\d.*\|$/m)
      expect(told.markdown).not.toContain('failed')
      expect(told.markdown).not.toContain('NaN')
      // Every contestant named below the results is in them.
      const hasProxy = told.takers.some(taker => taker.name === PROXY)
      expect(told.markdown.includes(`| ${PROXY} |`)).toBe(hasProxy)
      FURTHER[name]?.(told)
    })

  it('repeats its measurement as often as requested', async () => {
    const store = PARTS.find(({ name }) => name === 'store')
    const told = await store?.run({ ...SIZE, rounds: 3 })
    expect(told?.markdown).toMatch(/^\| previews \| 5 (\| [\d.]+ \([\d.]+–[\d.]+\) ){4}\|$/m)
  })
})

describe('the footer of the results', () => {
  it('names every contestant once, with the commit of the product', () => {
    const takers = [
      { name: 'toolwire', version: '1234567 + changes' },
      { name: 'peer', version: '1.0.0' },
      { name: 'peer', version: '1.0.0' },
    ]
    const setting = settingOf(takers, 3, new Date('2026-01-02T00:00:00Z'))
    expect(setting).toMatch(/^2026-01-02, \d+ × .*; toolwire 1234567 \+ changes, peer 1\.0\.0\. /)
    expect(setting).toContain('the median of 3 rounds')
    expect(settingOf(takers, 1)).toContain('of one run')
    expect(settingOf(takers, 1)).not.toContain('median')
  })
  it('gives the commit, any changes since, and a fallback without one', async () => {
    await inFolder(async folder => {
      const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
      const write = (name: string) => writeFileSync(join(folder, name), String(Math.random()))
      expect(checkoutVersion(folder)).toBe('this checkout')
      git('init')
      mkdirSync(join(folder, 'docs'))
      write('a')
      write('docs/performance-results.md')
      git('add', '.')
      git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-m', 'a')
      expect(checkoutVersion(folder)).toMatch(/^[0-9a-f]{7,}$/)
      write('docs/performance-results.md')
      expect(checkoutVersion(folder)).toMatch(/^[0-9a-f]{7,}$/)
      write('a')
      expect(checkoutVersion(folder)).toMatch(/^[0-9a-f]{7,} \+ changes$/)
    })
  })
})

describe('statistics', () => {
  it('give the median with the minimum and the maximum', () => {
    expect(spread([3, 1, 2])).toBe('2.0 (1.0–3.0)')
    expect(spread([4])).toBe('4.0')
    expect(spread([])).toBe('–')
  })
  it('give the multiple of the base', () => {
    expect(ratio([20, 30, 40], [10])).toBe('3.0×')
    expect(ratio([1], [])).toBe('–')
  })
  it('find a share of the samples whatever their order', () => {
    expect(quantile([5, 4, 3, 2, 1], 0.99)).toBe(5)
    expect(median([9, 1, 5])).toBe(5)
  })
})

describe('the page', () => {
  const measured = { name: 'relay', title: 'Relay', markdown: '| 1 |', setting: 'a machine' }
  it('gets a section at its end, and the same one renewed after that', () => {
    const once = withMeasurement('# Performance\nprose\n', measured)
    const twice = withMeasurement(`${once}\nmore prose\n`, { ...measured, markdown: '| 2 |' })
    expect(twice).toContain('prose')
    expect(twice).toContain('more prose')
    expect(twice).toContain('| 2 |')
    expect(twice).not.toContain('| 1 |')
    expect(twice.match(/## Relay/g)).toHaveLength(1)
  })
})
