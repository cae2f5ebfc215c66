/** Scenario files as models: users write them to test their own front ends. */
import { AppError, type Model } from '@toolwire/core'
import { paceSteps } from '../demo/plan/pace-steps.ts'
import { planSteps } from '../demo/plan/stream-plan.ts'
import { planScenario } from './plan-scenario.ts'
import { Scenario } from './schema.ts'

export interface ScenarioOptions {
  /** Pause before each delta in milliseconds; 0 streams as fast as it is read. Default 0. */
  readonly paceMs?: number
}

/**
 * A model that follows the scenario: provider `scenario`, id the scenario's name. Takes the file's
 * text or its parsed value. Throws `invalid_json` or `bad_request`, the latter naming each bad field.
 */
export function loadScenario(json: unknown, options: ScenarioOptions = {}): Model {
  const scenario = parseScenario(json)
  return {
    provider: 'scenario',
    id: scenario.name,
    stream: (request, signal) =>
      paceSteps(
        () => planSteps(planScenario(scenario, request), request, scenario.name),
        options.paceMs ?? 0,
        signal,
      ),
  }
}

/** The checked scenario. Throws as `loadScenario` does; `details` lists `{path, message}`. */
export function parseScenario(json: unknown): Scenario {
  const checked = Scenario.safeParse(typeof json === 'string' ? parsed(json) : json)
  if (checked.success) return checked.data
  const faults = checked.error.issues.map(issue => ({ path: pathText(issue.path), message: issue.message }))
  const lines = faults.map(fault => `${fault.path === '' ? 'the file' : fault.path}: ${fault.message}`)
  throw new AppError('bad_request', `This is not a scenario: ${lines.join('; ')}`, faults)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError(
      'invalid_json',
      `The scenario is not JSON: ${error instanceof Error ? error.message : error}`,
    )
  }
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  )
}
