/** The scenarios that ship with the package, by name. `/scenario NAME` of the demo model plays them. */
import approval from '../../scenarios/approval.json' with { type: 'json' }
import brokenCall from '../../scenarios/broken-call.json' with { type: 'json' }
import clientTools from '../../scenarios/client-tools.json' with { type: 'json' }
import weather from '../../scenarios/weather.json' with { type: 'json' }
import { parseScenario } from './load-scenario.ts'
import type { Scenario } from './schema.ts'

let bundled: ReadonlyMap<string, Scenario> | undefined

/** Read and checked when first asked for: most conversations play none. */
export function bundledScenarios(): ReadonlyMap<string, Scenario> {
  bundled ??= new Map(
    [approval, brokenCall, clientTools, weather]
      .map(json => parseScenario(json))
      .map(scenario => [scenario.name, scenario]),
  )
  return bundled
}
