/**
 * Fails when a count of retired words is higher than in `language-baseline.json`; `--update` lowers the baseline.
 * `--list=<rule>` prints the files that hold a rule's occurrences.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createLanguageCounter,
  findRises,
  LanguageCounts,
  lowerCounts,
  readSource,
} from './language-rules.ts'
import { ROOT } from './root.ts'

const BASELINE = join(ROOT, 'scripts/language-baseline.json')
const wanted = process.argv.find(argument => argument.startsWith('--list='))?.slice('--list='.length)

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(path => existsSync(join(ROOT, path)))
const isTest = (path: string): boolean => /(^|\/)test(-[a-z-]+)?\//.test(path) || /\.test\.tsx?$/.test(path)
/** Generated pages repeat words of their sources; this check holds the words that it looks for. */
const isExempt = (path: string): boolean =>
  /^(CHANGELOG\.md|scripts\/language-rules\.ts)$/.test(path) || /zh-CN|^docs\/zh\//.test(path)

const total = createLanguageCounter()
const types = new Map<string, string[]>()
for (const path of files) {
  if (isExempt(path)) continue
  const alone = createLanguageCounter()
  for (const counter of [total, alone]) addFile(path, counter)
  if (wanted !== undefined)
    for (const [kind, n] of Object.entries(alone.counts()[wanted] ?? {}))
      console.log(`${path} (${kind}): ${n}`)
}
for (const names of types.values()) total.addPackageTypes(names)

function addFile(path: string, counter: ReturnType<typeof createLanguageCounter>): void {
  if (path.endsWith('.md')) counter.addProse(readFileSync(join(ROOT, path), 'utf8'))
  if (!/\.tsx?$/.test(path)) return
  const source = readSource(path, readFileSync(join(ROOT, path), 'utf8'))
  if (isTest(path)) {
    counter.addTest(source)
    return
  }
  counter.addSource(source)
  if (counter !== total) return
  const room = path.split('/').slice(0, 2).join('/')
  types.set(room, [...(types.get(room) ?? []), ...source.types])
}

const now = total.counts()
if (process.argv.includes('--update')) {
  const next = existsSync(BASELINE) ? lowerCounts(now, readBaseline()) : now
  writeFileSync(BASELINE, `${JSON.stringify(next, null, 2)}\n`)
}
const rises = findRises(now, readBaseline())
for (const rise of rises) console.error(`language: ${rise}`)
if (rises.length > 0) console.error('Use the words of docs/glossary.md, or `--list=<rule>` to see the files.')
process.exitCode = rises.length > 0 ? 1 : 0

function readBaseline(): LanguageCounts {
  return LanguageCounts.parse(JSON.parse(readFileSync(BASELINE, 'utf8')))
}
