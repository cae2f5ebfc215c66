/** What waits in any session, read by React and by Vue: all of the arguments, or the beginning of them. */
import '../../react/test/dom.ts'
import type { Client } from '@toolwire/client'
import * as inReact from '@toolwire/react'
import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test, vi } from 'vitest'
import { createApp, defineComponent } from 'vue'
import * as inVue from '../src/index.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
type Options = inReact.InboxOptions | undefined

const mounts: Readonly<Record<string, (client: Client, options: Options) => Promise<() => void>>> = {
  async react(client, options) {
    const root = createRoot(document.createElement('div'))
    const Reads = () => {
      inReact.useInbox(client, options)
      return null
    }
    await act(async () => root.render(createElement(Reads)))
    return () => act(() => root.unmount())
  },
  async vue(client, options) {
    const Reads = () => {
      inVue.useInbox(client, options)
      return () => null
    }
    const app = createApp(defineComponent(Reads))
    app.mount(document.createElement('div'))
    return () => app.unmount()
  },
}

test.each(Object.entries(mounts))('%s asks for the form that the page wants', async (_, mount) => {
  const asked: [Options, unknown][] = [
    [undefined, undefined],
    [{ inputs: 'full' }, 'full'],
    [{ inputs: 'short' }, 'short'],
  ]
  for (const [options, inputs] of asked) {
    const pending = vi.fn(async () => [])
    const leave = await mount({ pending } as unknown as Client, options)
    expect(pending).toHaveBeenCalledExactlyOnceWith(undefined, inputs)
    leave()
  }
})
