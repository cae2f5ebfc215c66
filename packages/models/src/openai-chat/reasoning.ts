/** The thinking that a run asks for, as `reasoning_effort`. A request that cannot carry it goes without. Pure. */
import type { ModelRequest, Warning } from '@toolwire/core'
import type { Capability } from '../capabilities.ts'
import { wantedLevel } from '../shared/effort.ts'

export function withReasoning(request: ModelRequest, capability: Capability | undefined): ModelRequest {
  const level = wantedLevel(request, capability)
  if (level === undefined) return request
  if (refusesEffort(request, capability)) return request
  return { ...request, options: { ...request.options, reasoning_effort: level } }
}

const refusesEffort = (request: ModelRequest, capability: Capability | undefined): boolean =>
  request.tools.length > 0 && capability?.effort_with_tools === false

/** An effort that the user chose is never left out silently; `auto` leaves the amount to the model. */
export function effortWarnings(
  request: ModelRequest,
  capability: Capability | undefined,
): readonly Warning[] {
  const { effort } = request
  if (effort === undefined || effort === 'auto' || wantedLevel(request, capability) === undefined) return []
  if (!refusesEffort(request, capability)) return []
  const message = `effort: ${request.model} takes no effort together with tools on Chat Completions; it thinks as much as it does by itself.`
  return [{ code: 'effort_lowered', message }]
}
