/** The thinking that a run asks for, in the Messages API's words. A request that cannot carry it goes without, unannounced. Pure. */
import type { Effort, JsonObject, ModelRequest } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import { effortsOf, nearestEffort, runEffort } from '../shared/effort.ts'
import { jsonAnswerTool } from './json-answer.ts'
import { BUDGETS } from './options.ts'

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const

export function withThinking(request: ModelRequest, capability: Capability | undefined): ModelRequest {
  const effort = runEffort(request)
  if (!capability || effort === undefined || effortsOf(capability).length === 0) return request
  // Thinking excludes a forced call, and the sampling that a request asks for.
  const choice = request.tool_choice?.type
  if (choice === 'any' || choice === 'tool' || jsonAnswerTool(request, capability)) return request
  if (effort === 'auto' && capability.sampling !== false && hasSampling(request)) return request
  return { ...request, options: { ...request.options, ...toOptions(effort, capability) } }
}

const hasSampling = ({ options = {} }: ModelRequest): boolean =>
  SAMPLING.some(name => options[name] !== undefined && options[name] !== null)

function toOptions(effort: Effort, capability: Capability): JsonObject {
  const { thinking, efforts = [] } = capability
  if (effort === 'none' && thinking !== 'always') return { thinking: { type: 'disabled' } }
  const level = effort === 'auto' ? undefined : nearestEffort(effort, efforts)
  return {
    thinking:
      thinking === 'budget'
        ? { type: 'enabled', budget_tokens: BUDGETS[effort] ?? BUDGETS['medium'] }
        : // Newer models keep their thinking to themselves unless they are asked for a summary.
          { type: 'adaptive', display: 'summarized' },
    ...(level === undefined ? {} : { effort: level }),
  }
}
