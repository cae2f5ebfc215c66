/**
 * The offline model: deterministic, bilingual, and shaped like a provider's stream.
 * Answers depend on the request alone; no clock, no randomness, no network.
 */
import type { Model } from '@toolwire/core'
import { bundledScenarios } from '../scenario/bundled-scenarios.ts'
import { parseScenario } from '../scenario/load-scenario.ts'
import type { Scenario } from '../scenario/schema.ts'
import { boundRequest } from './input/bound-request.ts'
import { paceSteps } from './plan/pace-steps.ts'
import { planSteps } from './plan/stream-plan.ts'
import { planTurn } from './planner.ts'

export interface DemoModelOptions {
  /** Pause before each delta in milliseconds; 0 streams as fast as it is read. Default 12. */
  readonly paceMs?: number
  /** More scenarios for `/scenario NAME`, as file text or parsed; they win over bundled ones of the same name. */
  readonly scenarios?: readonly unknown[]
}

const DEFAULT_PACE_MS = 12

/**
 * A model that needs no key. Streams never throw and end with exactly one `end` or `error` part.
 * Throws only here, for a bad scenario (see `loadScenario`).
 */
export function createDemoModel(options: DemoModelOptions = {}): Model {
  const paceMs = options.paceMs ?? DEFAULT_PACE_MS
  const own = (options.scenarios ?? []).map(parseScenario).map(scenario => [scenario.name, scenario] as const)
  const scenarios = (): ReadonlyMap<string, Scenario> => new Map([...bundledScenarios(), ...own])
  return {
    provider: 'demo',
    id: 'demo',
    stream(asked, signal) {
      const { request, omitted } = boundRequest(asked)
      return paceSteps(
        () => planSteps(planTurn(request, scenarios), request, 'demo', omitted),
        paceMs,
        signal,
      )
    },
  }
}
