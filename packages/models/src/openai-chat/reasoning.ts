/** The thinking that a run asks for, as `reasoning_effort`. A request that cannot carry it goes without, unannounced. Pure. */
import type { ModelRequest } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import { wantedLevel } from '../shared/effort.ts'

export function withReasoning(request: ModelRequest, capability: Capability | undefined): ModelRequest {
  const level = wantedLevel(request, capability)
  if (level === undefined) return request
  if (request.tools.length > 0 && capability?.effort_with_tools === false) return request
  return { ...request, options: { ...request.options, reasoning_effort: level } }
}
