/** Tests name settings and ports in one object. */
import type { ServerPorts, ServerSettings } from '../src/index.ts'
import { DEFAULT_SETTINGS } from '../src/settings.ts'

export type TestConfig = Partial<ServerSettings & ServerPorts>

const SETTINGS: ReadonlySet<string> = new Set([
  ...Object.keys(DEFAULT_SETTINGS),
  'effort',
  'maxStreamsPerKey',
  'maxStreamsPerOwner',
])

export function splitConfig(config: TestConfig): {
  readonly settings: Partial<ServerSettings>
  readonly ports: Partial<ServerPorts>
} {
  const entries = Object.entries(config)
  return {
    settings: Object.fromEntries(entries.filter(([name]) => SETTINGS.has(name))),
    ports: Object.fromEntries(entries.filter(([name]) => !SETTINGS.has(name))),
  }
}
