/**
 * The whole page: a conversation, and a heater that the model may turn through a tool of this page.
 * Render functions need no compiler; the same parts work in templates.
 */
import {
  Announcer,
  ApprovalBatch,
  Composer,
  ConnectionChip,
  Thread,
  type ThreadHandle,
  Timeline,
  useClientTool,
  usePending,
  useStats,
} from '@toolwire/vue'
import { defineComponent, h, ref, shallowRef } from 'vue'

const SCHEMA = {
  type: 'object',
  properties: { value: { type: 'number', description: 'Degrees' } },
  required: ['value'],
}

export const App = defineComponent(() => {
  const stats = useStats()
  const pending = usePending()
  const thread = shallowRef<ThreadHandle | null>(null)
  /** Leads to the pending item, anywhere in the conversation. */
  const waiting = () => {
    const [first] = pending.value
    if (!first) return null
    const onClick = () => thread.value?.reveal(first.call, { focus: true })
    return h('button', { type: 'button', 'data-part': 'waiting', onClick }, `${first.name} waits`)
  }
  const isTraced = ref(false)
  const onToggle = (event: Event) => {
    isTraced.value = (event.currentTarget as HTMLDetailsElement).open
  }
  /** Bars over time; each leads to its card. Drawn when visible. */
  const trace = () =>
    h('details', { class: 'trace', 'data-part': 'trace', onToggle }, [
      h('summary', 'Trace'),
      isTraced.value ? h(Timeline, { onSelect: (call: string) => thread.value?.reveal(call) }) : null,
    ])
  return () =>
    h('main', { class: 'page' }, [
      h('header', { class: 'top' }, [
        h('h1', 'Toolwire with Vue'),
        h(Heater),
        h('span', { 'data-part': 'requests' }, `${stats.value.turns} model requests`),
        waiting(),
        trace(),
        h(ConnectionChip),
      ]),
      h('div', { class: 'talk' }, [h(Thread, { ref: thread })]),
      h(ApprovalBatch),
      h(Composer, { autoFocus: true }),
      h(Announcer),
    ])
})

/** Runs in the browser: the session waits until some page with this tool has answered. */
const Heater = defineComponent(() => {
  const degrees = ref(20)
  useClientTool('set_temperature', {
    description: 'Sets the temperature of the heater on the page.',
    input_schema: SCHEMA,
    handler(input) {
      const value = (input as { readonly value?: unknown } | null)?.value
      if (typeof value !== 'number') throw new Error('value must be a number')
      degrees.value = value
      return { temperature: value }
    },
  })
  return () => h('output', { 'data-part': 'heater' }, `${degrees.value}°`)
})
