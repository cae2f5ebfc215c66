/** Hooks that a test answers: one module for all events, which calls the test's function. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HooksConfig } from '@toolwire/tools'
import { afterEach } from 'vitest'

export type AskedHook = { readonly event: string } & Readonly<Record<string, unknown>>
type Answer = (event: AskedHook) => unknown

type HookList = NonNullable<HooksConfig['message']>
type OwnEvents = {
  readonly [Name in keyof HooksConfig as Name extends Lowercase<Name> ? Name : never]?: HookList
}

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** The configuration with one hook for each of these events, and everything that they were asked. */
export function answering(events: readonly (keyof OwnEvents)[], answer: Answer = () => undefined) {
  const asked: AskedHook[] = []
  const folder = mkdtempSync(join(tmpdir(), 'hooks-'))
  folders.push(folder)
  const key = `hook ${folder}`
  Reflect.set(globalThis, key, (event: AskedHook) => {
    asked.push(event)
    return answer(event)
  })
  const module = join(folder, 'hook.mjs')
  writeFileSync(module, `export const hook = event => globalThis[${JSON.stringify(key)}](event)`)
  const hooks = Object.fromEntries(events.map(event => [event, [{ module, name: 'guard' }]])) as OwnEvents
  return { hooks: hooks as HooksConfig, asked, names: () => asked.map(({ event }) => event) }
}
