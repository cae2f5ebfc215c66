/**
 * The notes of one agent as its calls see them: what the log holds, overlaid with what
 * running calls have set but not committed yet.
 */
import type { EventOf, ToolHost, ToolNotes, ToolScope } from '@toolwire/core'

export interface CallNotes {
  readonly notes: ToolNotes
  /** The `note` events of this call that must be committed with its result; empties the list. */
  readonly take: () => readonly EventOf<'note'>[]
  /** These are in the log now: the overlay may forget them, unless another call has set them again. */
  readonly committed: (events: readonly EventOf<'note'>[]) => void
}

/** Values set by calls that still run, by session and agent. */
export type NoteOverlay = Map<string, Map<string, unknown>>

export function openCallNotes(overlay: NoteOverlay, scope: ToolScope, voice: ToolHost): CallNotes {
  const key = `${scope.session_id}/${scope.agent_run_id ?? ''}`
  let unsaved = new Map<string, unknown>()

  function get(name: string): unknown {
    const fresh = overlay.get(key)
    if (fresh?.has(name)) return fresh.get(name) ?? undefined
    const own = scope.agent().notes
    if (own && name in own) return own[name] ?? undefined
    // A subagent starts from what its session knew.
    return scope.agent_run_id === undefined ? undefined : (scope.session().notes?.[name] ?? undefined)
  }

  function put(name: string, value: unknown): void {
    const fresh = overlay.get(key) ?? new Map<string, unknown>()
    overlay.set(key, fresh.set(name, value))
  }

  function committed(events: readonly EventOf<'note'>[]): void {
    const fresh = overlay.get(key)
    if (!fresh) return
    for (const { name, value } of events) if (fresh.get(name) === value) fresh.delete(name)
    if (fresh.size === 0) overlay.delete(key)
  }

  const toEvent = ([name, value]: readonly [string, unknown]): EventOf<'note'> => ({
    type: 'note',
    ...voice.stamp(),
    name,
    value,
  })

  return {
    notes: {
      get,
      names(prefix) {
        const known = new Set([
          ...Object.keys(scope.session().notes ?? {}),
          ...Object.keys(scope.agent().notes ?? {}),
          ...(overlay.get(key)?.keys() ?? []),
        ])
        return [...known].filter(name => name.startsWith(prefix) && get(name) !== undefined)
      },
      set(name, value) {
        unsaved.set(name, value)
        put(name, value)
      },
      async save(name, value) {
        put(name, value)
        const event = toEvent([name, value])
        await voice.commit(event)
        committed([event])
      },
    },
    committed,
    take() {
      const events = [...unsaved].map(toEvent)
      unsaved = new Map()
      return events
    },
  }
}
