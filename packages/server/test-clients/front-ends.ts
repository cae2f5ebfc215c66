/** Front ends of other people that run in a browser: their packages, and the pages that are built with them. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildPage, folderOfExample } from '../../../examples/test/start-example.ts'
import { folderOf, type Installable } from './installed.ts'
import { clientCache } from './python-packages.ts'

const REACT = ['react@19.3.1', 'react-dom@19.3.1', '@types/react@19.3.0', '@types/react-dom@19.3.0']

const useChat = (name: string, version: string): Installable => ({
  name,
  package: '@ai-sdk/react',
  version,
  program: 'package.json',
  others: REACT,
})

export const useChat5 = useChat('use-chat', '2.0.280')
export const useChat6 = useChat('use-chat', '3.0.323')

export const useChatVue: Installable = {
  name: 'use-chat-vue',
  package: '@ai-sdk/vue',
  version: '4.0.112',
  program: 'package.json',
  others: ['vue@3.5.22'],
}

export const assistantUi: Installable = {
  name: 'assistant-ui',
  package: '@assistant-ui/react',
  version: '0.15.21',
  program: 'package.json',
  others: [
    '@assistant-ui/react-ai-sdk@1.4.12',
    '@assistant-ui/react-ag-ui@0.0.57',
    '@ag-ui/client@0.0.58',
    '@ai-sdk/react@4.0.167',
    ...REACT,
  ],
}

export const copilotKit: Installable = {
  name: 'copilotkit',
  package: '@copilotkit/react-core',
  version: '1.74.0',
  program: 'package.json',
  others: ['@copilotkit/react-ui@1.74.0', 'zod@4.6.7', ...REACT],
}

export const FRONT_ENDS: readonly Installable[] = [useChat5, useChat6, useChatVue, assistantUi, copilotKit]

interface PageSource {
  /** Name below `examples`, or a folder. */
  readonly source: string
  /** Files that another version of the package needs otherwise. */
  readonly replaced?: Readonly<Record<string, string>>
  /** Checks the types with the real packages. */
  readonly isTyped?: boolean
}

/** Builds the page beside the packages, so that it finds theirs. Returns the folder of the built page. */
export function buildBeside(one: Installable, { source, replaced = {}, isTyped = false }: PageSource): string {
  const from = source.includes('/') ? source : folderOfExample(source)
  const folder = join(clientCache(), folderOf(one), 'page')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of ['src', 'index.html', ...(isTyped ? ['tsconfig.json'] : [])])
    cpSync(join(from, name), join(folder, name), { recursive: true })
  for (const [name, text] of Object.entries(replaced)) writeFileSync(join(folder, name), text)
  // Its name keeps Vite from the configuration of this repository.
  writeFileSync(join(folder, 'vite.config.mjs'), `export default { build: { target: 'es2023' } }\n`)
  if (!isTyped) writeFileSync(join(folder, 'tsconfig.json'), '{"compilerOptions":{"jsx":"react-jsx"}}\n')
  else execFileSync(process.execPath, [TSC, '-p', folder], { stdio: 'inherit' })
  return buildPage(folder)
}

const TSC = resolve(import.meta.dirname, '../../../node_modules/.bin/tsc')
