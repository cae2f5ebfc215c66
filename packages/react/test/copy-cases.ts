/** What can be copied from a card, in every framework. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Script } from '../../core/test/view/script.ts'
import { driveSession, noCommands } from './driven-session.ts'
import type { FormMounts } from './form-cases.ts'

const COPIED = vi.fn<(text: string) => Promise<void>>()

let unmount = () => {}
afterEach(() => {
  unmount()
  unmount = () => {}
  COPIED.mockReset()
  vi.unstubAllGlobals()
})

const ended = (input: object, output = 'the result') =>
  new Script()
    .created()
    .ask('hi')
    .turn('m1')
    .call('m1', 0, 'c1', { name: 'mcp__any__tool', input })
    .add('tool.started', { call_id: 'c1', attempt: 1 })
    .done('c1', output)

/** Registers the tests. */
export function testCopying(mounts: FormMounts): void {
  async function show(script: Script) {
    vi.stubGlobal('navigator', { clipboard: { writeText: COPIED } })
    const place = document.createElement('div')
    const session = driveSession(script)
    unmount = await mounts.conversation({ session: session.source, commands: noCommands }, place)
    const header = place.querySelector<HTMLButtonElement>('[data-tw-part="tool-header"]')
    await mounts.act(() => header?.click())
    const button = (title: string) => {
      const all = [...place.querySelectorAll<HTMLButtonElement>('[data-tw-part="copy"]')]
      const found = all.find(each => each.title === title)
      if (!found) throw new Error(`no button for ${title} among ${all.map(each => each.title)}`)
      return found
    }
    return { button, press: (title: string) => mounts.act(() => button(title).click()) }
  }

  describe('from the card of a call', () => {
    test('its output and its arguments are copied as they are, and the button says so', async () => {
      COPIED.mockResolvedValue()
      const { button, press } = await show(ended({ n: [1, 2] }))
      await press('Copy: Output')
      await press('Copy: Arguments')
      expect(COPIED.mock.calls).toEqual([['the result'], ['{"n":[1,2]}']])
      for (const title of ['Copy: Output', 'Copy: Arguments']) {
        expect(button(title).textContent).toBe('Copied')
        expect(button(title).dataset['copied']).toBe('true')
      }
    })

    test('nothing is said to be copied where the browser does not allow it', async () => {
      COPIED.mockRejectedValue(new Error('not allowed'))
      const { button, press } = await show(ended({ n: 1 }))
      await press('Copy: Output')
      expect(COPIED).toHaveBeenCalledOnce()
      expect(button('Copy: Output').textContent).toBe('Copy')
    })

    test('all of a large value is copied although a part of it is drawn', async () => {
      COPIED.mockResolvedValue()
      const input = { text: 'x'.repeat(200_000), list: [1, 2] }
      const { press } = await show(ended(input))
      // The first is that of the pane, which nobody has opened.
      await press('Copy')
      expect(COPIED.mock.calls).toEqual([[JSON.stringify(input, null, 2)]])
    })
  })
}
