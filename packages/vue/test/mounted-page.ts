/** Puts the Vue parts on a page for tests that every framework has to pass. */
import '../../react/test/dom.ts'
import { type Component, createApp, h } from 'vue'
import type { FormMounts } from '../../react/test/form-cases.ts'
import { Conversation, SchemaForm, SessionProvider } from '../src/index.ts'

/** Vue draws in microtasks, and what it asks the server for comes in further ones. */
const drawn = () => new Promise<void>(resolve => setImmediate(resolve))

async function mount(component: Component, place: HTMLElement): Promise<() => void> {
  const app = createApp(component)
  app.mount(place)
  await drawn()
  return () => app.unmount()
}

export const mounts: FormMounts = {
  form: (props, place) => mount(() => h(SchemaForm, { ...props }), place),
  conversation: (given, place) =>
    mount(() => h(SessionProvider, { ...given, clock: () => 0 }, () => h(Conversation)), place),
  async act(change) {
    change()
    await drawn()
  },
}
