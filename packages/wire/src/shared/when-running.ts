/** Request fields for a message that meets a run, and what they ask for. */
import type { EventOf } from '@toolwire/core'
import { z } from 'zod'

/** Fields of a body schema. */
export const whenRunningFields = {
  when_running: z.enum(['queue', 'steer', 'interrupt', 'reject']).nullish(),
  /** The message is refused unless this run is the active one. */
  expected_run_id: z.string().min(1).max(256).nullish(),
}

/** Conditions under which a message is refused. */
export interface MessageGuard {
  /** It must not wait: the session has to be idle. */
  readonly needsIdle?: true
  readonly expected_run_id?: string
}

export interface WhenRunning {
  readonly fields: Pick<EventOf<'input.message'>, 'when_running' | 'if_paused'>
  readonly guard: MessageGuard
}

/** A message that steers leaves a pause open, unless the request says otherwise. Pure. */
export function toWhenRunning(
  request: {
    readonly [K in keyof typeof whenRunningFields]?: z.output<(typeof whenRunningFields)[K]>
  } & { readonly if_paused?: 'supersede' | 'queue' | null | undefined },
): WhenRunning {
  const { when_running, expected_run_id, if_paused } = request
  const handling = when_running === 'reject' ? undefined : (when_running ?? undefined)
  return {
    fields: {
      if_paused: if_paused ?? (handling === 'steer' ? 'queue' : 'supersede'),
      ...(handling === undefined ? {} : { when_running: handling }),
    },
    guard: {
      ...(when_running === 'reject' ? { needsIdle: true } : {}),
      ...(expected_run_id == null ? {} : { expected_run_id }),
    },
  }
}
