/** Effort of thinking that a model is asked for, by what the capability table knows of it. Pure. */
import { EFFORTS, type Effort, isObject, type ModelRequest } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'

/** Levels of models that take a budget of tokens instead of an effort. */
const BUDGET_LEVELS: readonly Effort[] = ['none', 'low', 'medium', 'high', 'xhigh', 'max']

/** The levels that a user can choose for the model beside `auto`, least first. Empty when it cannot think, or nothing is known of it. */
export function effortsOf(capability: Capability | undefined): readonly Effort[] {
  const { thinking, efforts = [] } = capability ?? {}
  if (thinking === 'none') return []
  if (thinking === 'budget') return BUDGET_LEVELS
  return thinking === 'adaptive' ? ['none', ...efforts] : efforts
}

/** The highest level of the list that is not above `wanted`, else the lowest one. */
export function nearestEffort(wanted: Effort, levels: readonly Effort[]): Effort | undefined {
  const rank = (level: Effort): number => EFFORTS.indexOf(level)
  return levels.findLast(level => rank(level) <= rank(wanted)) ?? levels[0]
}

/** The level that the run asks this model for; undefined when it asks for nothing or the model has no levels. */
export function wantedLevel(request: ModelRequest, capability: Capability | undefined): Effort | undefined {
  const effort = runEffort(request)
  return effort && nearestEffort(effort === 'auto' ? 'medium' : effort, effortsOf(capability))
}

/** The effort of the run, unless the options of its request say themselves how much the model thinks. */
export function runEffort({ effort, options = {} }: ModelRequest): Effort | undefined {
  const { thinking, reasoning, reasoning_effort, effort: own, output_config: config } = options
  const nested = [reasoning, config].map(value => (isObject(value) ? value['effort'] : undefined))
  const settings = [thinking, reasoning_effort, own, ...nested]
  return settings.every(value => value === undefined || value === null) ? effort : undefined
}
