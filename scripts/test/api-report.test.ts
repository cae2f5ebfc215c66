import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { reportOf } from '../api-report.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const ENTRY = `export { type Options, start as begin } from './start.ts';\nexport type { Model } from '@toolwire/core';\n`
const START = `import type { Hidden } from './hidden.ts';
/** Starts. */
export interface Options { readonly hidden: Hidden; }
export declare function start(options: Options): void;
export declare function notExported(): void;
`
const HIDDEN = `export interface Hidden { readonly deep: import('./deep.ts').Deep; }\n`
const DEEP = `export type Deep = 'a' | 'b';\nexport type Other = number;\n`

function report(change: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), 'api-report-'))
  folders.push(root)
  const files = {
    'index.d.ts': ENTRY,
    'start.d.ts': START,
    'hidden.d.ts': HIDDEN,
    'deep.d.ts': DEEP,
    ...change,
  }
  const core = { '../../core/src/index.d.ts': 'export interface Model {}\n' }
  for (const [name, text] of Object.entries({ ...files, ...core })) {
    const path = join(root, 'p/src', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return reportOf('p', join(root, 'p/src/index.d.ts'), root)
}

test('lists what an entry exports, and what that names', () => {
  expect(report()).toBe(`# p
export { Model } from '@toolwire/core'
export { start as begin }
function start(options: Options): void;
interface Options {
    readonly hidden: Hidden;
}
# named by the above, not exported
interface Hidden {
    readonly deep: import('./deep.ts').Deep;
}
type Deep = 'a' | 'b';
`)
})

test.each([
  ['a type that is reached by an import', { 'deep.d.ts': DEEP.replace("'b'", "'c'") }],
  ['a type that is not exported', { 'hidden.d.ts': HIDDEN.replace('readonly deep', 'deep') }],
  ['a parameter', { 'start.d.ts': START.replace('(options: Options)', '(options?: Options)') }],
  ['a name', { 'index.d.ts': ENTRY.replace('as begin', 'as open') }],
  ['an export that is gone', { 'index.d.ts': ENTRY.replace('type Options, ', '') }],
])('changes with %s', (_, change) => {
  expect(report(change)).not.toBe(report())
})

test.each([
  ['a comment', { 'start.d.ts': START.replace('Starts.', 'Begins.') }],
  ['what no export names', { 'deep.d.ts': DEEP.replace('number', 'string') }],
  [
    'a function that the entry leaves out',
    { 'start.d.ts': START.replace('notExported(): void', 'more(): string') },
  ],
])('stays the same with %s', (_, change) => {
  expect(report(change)).toBe(report())
})
