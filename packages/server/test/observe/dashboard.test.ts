/** Every metric that the dashboard queries exists on the server, and every metric of ours is on it. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createInstruments } from '../../src/observe/instruments.ts'
import { observeLog } from '../../src/observe/log-metrics.ts'
import { startServer } from '../start-server.ts'

const FILE = new URL('../../../../deploy/grafana-dashboard.json', import.meta.url)

interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly targets: readonly { readonly expr: string }[] }[]
}

it('queries metrics that exist, and omits none', async () => {
  const instruments = createInstruments()
  const running = await startServer({}, { instruments, observers: [observeLog(instruments)] })
  try {
    const text = await (await fetch(`${running.url}/metrics`)).text()
    const shown = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(match => match[1]))
    const { panels } = JSON.parse(readFileSync(FILE, 'utf8')) as Dashboard
    const asked = panels.flatMap(panel =>
      panel.targets.flatMap(({ expr }) =>
        [...expr.matchAll(/\b(?:toolwire|process|nodejs)_\w+/g)].map(String),
      ),
    )
    const families = new Set(asked.map(name => name.replace(/_(bucket|sum|count)$/, '')))
    expect([...families].filter(name => !shown.has(name))).toEqual([])
    expect([...shown].filter(name => !families.has(name ?? ''))).toEqual([])
    expect(new Set(panels.map(panel => panel.id)).size).toBe(panels.length)
  } finally {
    await running.close()
  }
})
