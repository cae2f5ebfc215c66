/** One request at a time, from a button: under way, refused, or done. */
import { shallowRef, type VNode } from 'vue'
import { h } from './h.ts'

/** `run` never throws; a refusal is in `error`. After success it goes on saying "sending" until the log moves on. */
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

/** A refusal in words, read out at once; null when there is none. */
export const alertText = (text: string): VNode | null =>
  text === '' ? null : h('p', { 'data-tw-part': 'error', role: 'alert' }, text)
