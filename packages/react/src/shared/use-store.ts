/** The value of a store; the component renders again when it changes. */
import type { Observable } from '@toolwire/core/parts'
import { useSyncExternalStore } from 'react'

export const useStore = <T>(store: Pick<Observable<T>, 'subscribe' | 'getSnapshot'>): T =>
  useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot)
