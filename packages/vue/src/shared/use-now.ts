/** The time of day for clocks on the screen. */
import { onMounted, onScopeDispose, type ShallowRef, shallowRef, watch } from 'vue'

/** Ticks every 250 ms while `active()`; otherwise it is stopped and costs nothing. */
export function useNow(active: () => boolean, clock: () => number = Date.now): Readonly<ShallowRef<number>> {
  const now = shallowRef(clock())
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = () => clearInterval(timer)
  onMounted(() => {
    watch(
      active,
      on => {
        stop()
        if (!on) return
        now.value = clock()
        timer = setInterval(() => {
          now.value = clock()
        }, 250)
      },
      { immediate: true },
    )
  })
  onScopeDispose(stop)
  return now
}
