/** The session's log as it is, live: records, or the frames of any wire. */
import { type FrameLike, type ListSource, LiveList, type WireName } from '@toolwire/core/parts'
import type { ViewRecord } from '@toolwire/core/view'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { useSessionContext } from './session-context.ts'

export interface EventsOptions {
  /** Records behind this one; all by default. */
  readonly from?: number
  /** Selects records; keep the same function to keep the same list. */
  readonly filter?: (record: ViewRecord) => boolean
}

/** Every record so far, in order. Read while mounted and seen, drawn at most ten times a second. */
export function useEvents({ from = 0, filter }: EventsOptions = {}): readonly ViewRecord[] {
  const { session, commands } = useSessionContext()
  const source = useCallback<ListSource<ViewRecord>>(
    signal => commands.events?.(session.id, { after: from, signal }) ?? nothing(),
    [session, commands, from],
  )
  const records = useLiveList(source)
  return useMemo(() => (filter ? records.filter(filter) : records), [records, filter])
}

/** Every frame so far as this wire sends them; restarts for another wire. */
export function useFrames(wire: WireName): readonly FrameLike[] {
  const { session, commands } = useSessionContext()
  const source = useCallback<ListSource<FrameLike>>(
    signal => commands.frames?.(session.id, wire, { follow: true, signal }) ?? nothing(),
    [session, commands, wire],
  )
  return useLiveList(source)
}

function useLiveList<T>(source: ListSource<T>): readonly T[] {
  const list = useMemo(() => new LiveList(source), [source])
  return useSyncExternalStore(list.subscribe, list.getSnapshot, list.getSnapshot)
}

async function* nothing(): AsyncGenerator<never> {}
