/**
 * Approvals that came too late: the process that asked was released, so nothing can run now. They are
 * noted in the log, and the same call, made again, runs without another question; once. Pure.
 */
import { isDeepStrictEqual } from 'node:util'
import type { AgentState, JsonObject } from '@toolwire/core'
import { asObject, asObjects } from './json.ts'

export interface Grant {
  /** The model's input. */
  readonly input: JsonObject
  /** The input after the approver's edits. */
  readonly run: JsonObject
}

/** The note that keeps the grants of a tool. */
export const grantNote = (tool: string): string => `granted:${tool}`

export function grantsOf({ notes }: AgentState, tool: string): readonly Grant[] {
  return asObjects(notes?.[grantNote(tool)]).map(({ input, run }) => ({
    input: asObject(input),
    run: asObject(run),
  }))
}

/** The grant for a call, and the remaining grants; undefined without one. */
export function takeGrant(
  grants: readonly Grant[],
  input: JsonObject,
): { readonly run: JsonObject; readonly rest: readonly Grant[] } | undefined {
  const at = grants.findIndex(grant => isDeepStrictEqual(grant.input, input))
  const grant = grants[at]
  return grant && { run: grant.run, rest: grants.toSpliced(at, 1) }
}
