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
    return { place, button, press: (title: string) => mounts.act(() => button(title).click()) }
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
      const { place } = await show(ended(input))
      // That of the pane, which is closed.
      await mounts.act(() => place.querySelector<HTMLElement>('dialog [data-tw-part="copy"]')?.click())
      expect(COPIED.mock.calls).toEqual([[JSON.stringify(input, null, 2)]])
    })
  })

  describe('from a message', () => {
    test('what was asked, every block of code and the whole answer are copied as they were written', async () => {
      COPIED.mockResolvedValue()
      const text = 'So:\n\n```ts\nconst a = `<b>`\n\nlet b\n```\n\ndone'
      const script = new Script()
        .created()
        .ask('how?')
        .turn('m1')
        .text('m1', 0, [text])
        .endTurn('m1')
        .completeRun()
      const { place } = await show(script)
      const copy = async (where: string) => {
        const button = place.querySelector<HTMLElement>(`${where} [data-tw-part="copy"]`)
        await mounts.act(() => button?.click())
      }
      await copy('[data-role="user"]')
      await copy('[data-tw-part="code-block"]')
      await copy('[data-tw-part="turn-footer"]')
      expect(COPIED.mock.calls).toEqual([['how?'], ['const a = `<b>`\n\nlet b'], [text]])
      expect(place.querySelector('[data-tw-part="code-block"] figcaption > span')?.textContent).toBe('ts')
      expect(place.querySelector('b')).toBeNull()
    })

    test('code that is still being written has no button', async () => {
      const script = new Script().created().ask('how?').turn('m1')
      const block = { message_id: 'm1', block_id: 'm1.0', index: 0, run_index: 0, kind: 'text' } as const
      script.add('block.started', block)
      script.add('block.delta', { block_id: 'm1.0', offset: 0, text: '```js\nlet a' })
      const { place } = await show(script)
      expect(place.querySelector('[data-tw-part="code-block"] pre')?.textContent).toBe('let a')
      expect(place.querySelector('[data-tw-part="code-block"] [data-tw-part="copy"]')).toBeNull()
    })
  })
}
