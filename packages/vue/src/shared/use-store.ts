/** The value of a store, which may be another one later; undefined without one. */
import type { Observable } from '@toolwire/core/parts'
import { onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue'

type Store<T> = Pick<Observable<T>, 'subscribe' | 'getSnapshot'>

export function useStore<T>(store: () => Store<T> | undefined): Readonly<ShallowRef<T | undefined>> {
  const value = shallowRef<T>()
  let leave: (() => void) | undefined
  watch(
    store,
    found => {
      leave?.()
      value.value = found?.getSnapshot()
      leave = found?.subscribe(() => {
        value.value = found.getSnapshot()
      })
    },
    { immediate: true },
  )
  onScopeDispose(() => leave?.())
  return value
}
