/** The form of a call that a page answers, in every framework. */
import { stickerForm } from '@toolwire/tools'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { driveSession, noCommands } from './driven-session.ts'
import type { FormMounts } from './form-cases.ts'
import { askForStickers } from './sticker-script.ts'

let unmount = () => {}
afterEach(() => {
  unmount()
  unmount = () => {}
})

/** Registers the tests. */
export function testClientForms(mounts: FormMounts): void {
  async function show(onForm?: (call: unknown, values: unknown) => unknown) {
    const toolOutputs = vi.fn(() => new Promise<never>(() => {}))
    const place = document.createElement('div')
    document.body.append(place)
    const session = driveSession(askForStickers()).source
    const commands = { ...noCommands, toolOutputs }
    const leave = await mounts.conversation({ session, commands, ...(onForm ? { onForm } : {}) }, place)
    unmount = () => {
      leave()
      place.remove()
    }
    const click = (part: string) =>
      mounts.act(() => place.querySelector<HTMLElement>(`[data-tw-part="${part}"]`)?.click())
    const fill = async () => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value') ?? {}
      for (const area of place.querySelectorAll('[data-tw-part="field"] textarea'))
        await mounts.act(() => {
          set?.call(area, 'secret')
          area.dispatchEvent(new Event('input', { bubbles: true }))
        })
    }
    return { place, toolOutputs, click, fill }
  }
  const output = (text: string) => ['s1', [{ call_id: 's1', output: text, is_error: false }]]

  describe('the sticker form', () => {
    test('has every field of the tool, and says what is required and that it is private', async () => {
      const { place } = await show()
      const names = [...place.querySelectorAll('[data-tw-part="field-name"]')].map(one => one.textContent)
      expect(names.toSorted()).toEqual(stickerForm.map(field => field.label).toSorted())
      expect(place.querySelectorAll('[data-tw-part="field"] em')).toHaveLength(6)
      expect(place.textContent).toContain('What you enter stays in this page.')
      for (const part of ['field-type', 'as-json'])
        expect(place.querySelector(`[data-tw-part="${part}"]`)).toBeNull()
    })

    test('gives what was written to the page alone, and then says that it was sent', async () => {
      const onForm = vi.fn()
      const { click, fill, toolOutputs } = await show(onForm)
      await click('submit')
      expect([onForm.mock.calls.length, toolOutputs.mock.calls.length]).toEqual([0, 0])
      await fill()
      await click('submit')
      expect(onForm.mock.lastCall?.[1]).toEqual(
        Object.fromEntries(stickerForm.map(field => [field.name, 'secret'])),
      )
      expect(toolOutputs.mock.calls).toEqual([output('submitted')])
      expect(JSON.stringify(toolOutputs.mock.calls)).not.toContain('secret')
    })

    test('is not sent when the page cannot take it, and says why', async () => {
      const { click, fill, toolOutputs, place } = await show(() => Promise.reject(new Error('no printer')))
      await fill()
      await click('submit')
      expect(place.querySelector('[role="alert"]')?.textContent).toBe('no printer')
      expect(toolOutputs).not.toHaveBeenCalled()
    })

    test('can be put away', async () => {
      const { click, toolOutputs } = await show()
      await click('back')
      expect(toolOutputs.mock.calls).toEqual([output('cancelled')])
    })
  })
}
