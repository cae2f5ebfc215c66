/** The session's log as it is, live: records, or the frames of any wire. */
import { type FrameLike, type ListSource, LiveList, type WireName } from '@toolwire/core/parts'
import type { ViewRecord } from '@toolwire/core/view'
import {
  type ComputedRef,
  computed,
  onMounted,
  onScopeDispose,
  type ShallowRef,
  shallowRef,
  watch,
} from 'vue'
import { useSessionContext } from './session-context.ts'

export interface EventsOptions {
  /** Records behind this one; all by default. */
  readonly from?: number
  /** Selects records. */
  readonly filter?: (record: ViewRecord) => boolean
}

/** Every record so far, in order. Read while mounted and visible, updated at most ten times a second. */
export function useEvents({ from = 0, filter }: EventsOptions = {}): ComputedRef<readonly ViewRecord[]> {
  const { session, commands } = useSessionContext()
  const records = useLiveList((): ListSource<ViewRecord> => {
    const { id } = session.value
    const { events } = commands.value
    return signal => events?.(id, { after: from, signal }) ?? nothing()
  })
  return computed(() => (filter ? records.value.filter(filter) : records.value))
}

/** Every frame so far as this wire sends them; restarts for another wire. */
export function useFrames(wire: () => WireName): Readonly<ShallowRef<readonly FrameLike[]>> {
  const { session, commands } = useSessionContext()
  return useLiveList((): ListSource<FrameLike> => {
    const { id } = session.value
    const { frames } = commands.value
    const name = wire()
    return signal => frames?.(id, name, { follow: true, signal }) ?? nothing()
  })
}

/** `source` is read reactively: what it depends on begins another list. */
function useLiveList<T>(source: () => ListSource<T>): Readonly<ShallowRef<readonly T[]>> {
  const shown = shallowRef<readonly T[]>([])
  let leave = () => {}
  const follow = (from: ListSource<T>) => {
    leave()
    const list = new LiveList(from)
    shown.value = list.getSnapshot()
    leave = list.subscribe(() => {
      shown.value = list.getSnapshot()
    })
  }
  onMounted(() => {
    watch(source, follow, { immediate: true })
  })
  onScopeDispose(() => leave())
  return shown
}

async function* nothing(): AsyncGenerator<never> {}
