/** One request at a time, from a button: in flight, rejected, or done. */
import { shallowRef, type VNode } from 'vue'
import { h } from '../shared/h.ts'

/** `run` never throws; a rejection is in `error`. After success it stays "sending" until the log moves on. */
export function useSending() {
  const sending = shallowRef(false)
  const error = shallowRef('')
  const run = (work: () => Promise<unknown>): void => {
    sending.value = true
    error.value = ''
    work().catch((thrown: unknown) => {
      sending.value = false
      error.value = thrown instanceof Error ? thrown.message : String(thrown)
    })
  }
  return { sending, error, run }
}

/** An error text, read out at once; null without one. */
export const alertText = (text: string): VNode | null =>
  text === '' ? null : h('p', { 'data-tw-part': 'error', role: 'alert' }, text)
