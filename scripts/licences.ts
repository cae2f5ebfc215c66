/**
 * Lists every shipped dependency with its licence in THIRD-PARTY.md, and fails for a licence that does not
 * go with MIT. With `--check` nothing is written: it fails when the list is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'
import { publishedWorkspaces, readLock, type Shipped, shippedWith } from './shipped-dependencies.ts'

const ALLOWED: ReadonlySet<string> = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
  'BlueOak-1.0.0',
])
/** Fonts may be bundled with anything under it; it says nothing about the software beside them. */
const FOR_FONTS = 'OFL-1.1'

/** True if it may be shipped. Of alternative licenses one is enough, of combined ones all must pass. */
export function mayShip({ name, licence }: Pick<Shipped, 'name' | 'licence'>): boolean {
  if (licence === FOR_FONTS) return name.startsWith('@fontsource')
  const bare = licence.replaceAll(/[()]/g, '')
  return bare.split(' OR ').some(choice => choice.split(' AND ').every(one => ALLOWED.has(one.trim())))
}

/** The list as a page. */
export function renderList(shipped: readonly Shipped[]): string {
  const rows = shipped.map(
    ({ name, version, licence }) =>
      `| [${name}](https://www.npmjs.com/package/${name}) | ${version} | ${licence} |`,
  )
  return [
    '# Third-party packages',
    '',
    'What the published packages and the web app are made with or bring along. Generated from `package-lock.json` by',
    '`npm run licences`; a licence that does not go with MIT fails the check. The licence texts of what is bundled',
    'into the web app ship beside it.',
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

if (import.meta.main) {
  const lock = readLock()
  const shipped = shippedWith(lock, publishedWorkspaces(lock))
  const bad = shipped.filter(one => !mayShip(one))
  for (const { name, version, licence } of bad)
    console.error(`${name} ${version}: ${licence || 'no licence'} does not go with MIT`)
  const path = join(ROOT, 'THIRD-PARTY.md')
  const text = renderList(shipped)
  const isStale = !existsSync(path) || readFileSync(path, 'utf8') !== text
  if (isStale && process.argv.includes('--check')) {
    console.error('THIRD-PARTY.md is out of date: run "npm run licences" and commit it')
    process.exitCode = 1
  } else if (isStale) writeFileSync(path, text)
  if (bad.length > 0) process.exitCode = 1
}
