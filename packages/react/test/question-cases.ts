/** Several questions in one form, in every framework. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { driveSession, noCommands } from './driven-session.ts'
import type { FormMounts } from './form-cases.ts'
import { answerQuestions, askQuestions, HOSTILE, QUESTIONS } from './question-script.ts'

let unmount = () => {}
afterEach(() => {
  unmount()
  unmount = () => {}
})

/** Registers the tests. */
export function testQuestions(mounts: FormMounts): void {
  async function show(script = askQuestions()) {
    const answer = vi.fn(() => new Promise<never>(() => {}))
    const place = document.createElement('div')
    document.body.append(place)
    const session = driveSession(script).source
    const leave = await mounts.conversation({ session, commands: { ...noCommands, answer } }, place)
    unmount = () => {
      leave()
      place.remove()
    }
    const all = <T extends HTMLElement = HTMLElement>(name: string) => [
      ...place.querySelectorAll<T>(`[data-tw-part="${name}"]`),
    ]
    const block = (index: number): HTMLElement => all('question-block')[index] ?? place
    const choose = (index: number, option: number) =>
      mounts.act(() => block(index).querySelectorAll('input')[option]?.click())
    const write = (index: number, text: string) =>
      mounts.act(() => {
        const area = block(index).querySelector('textarea')
        const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value') ?? {}
        set?.call(area, text)
        area?.dispatchEvent(new Event('input', { bubbles: true }))
      })
    const submit = () => all<HTMLButtonElement>('submit')[0]
    return { place, all, block, choose, write, submit, answer }
  }

  describe('several questions', () => {
    test('are asked at once, each with its options, their descriptions and room for another answer', async () => {
      const { all, block, answer } = await show()
      expect(all('question-block')).toHaveLength(3)
      const legends = all('question-block').map(one => one.querySelector('legend')?.textContent)
      expect(legends).toEqual(['Color Which color?', 'Which sizes?', 'Anything else?'])
      const kinds = [0, 1].map(n => [...block(n).querySelectorAll('input')].map(input => input.type))
      expect(kinds).toEqual([Array(3).fill('radio'), Array(4).fill('checkbox')])
      expect(all('option-note').map(one => one.textContent)).toEqual(['Warm'])
      expect(block(2).querySelector('textarea')).not.toBeNull()
      expect([all('choices'), all('tool-output')]).toEqual([[], []])
      expect(all('state-words')[0]?.textContent).toBe('Needs your answer')
      expect(answer).not.toHaveBeenCalled()
    })

    test('are sent by one button, all together, once', async () => {
      const { choose, write, submit, answer } = await show()
      expect(submit()?.disabled).toBe(true)
      await choose(0, 1)
      await choose(1, 0)
      await choose(1, 2)
      await choose(1, 3)
      await write(1, ' XL ')
      await write(2, 'No')
      await mounts.act(() => submit()?.click())
      expect(submit()?.disabled).toBe(true)
      await mounts.act(() => submit()?.click())
      expect(answer.mock.calls).toEqual([
        ['a1', { 'Which color?': HOSTILE, 'Which sizes?': ['S', 'L', 'XL'], 'Anything else?': 'No' }],
      ])
    })

    test('take another answer in place of the options, and a choice back', async () => {
      const { choose, write, submit, block, answer } = await show()
      await choose(0, 0)
      await choose(0, 2)
      await write(0, 'Green')
      await choose(1, 1)
      await choose(1, 1)
      expect(block(1).querySelector('textarea')).toBeNull()
      await mounts.act(() => submit()?.click())
      expect(answer.mock.calls).toEqual([
        ['a1', { 'Which color?': 'Green', 'Which sizes?': null, 'Anything else?': null }],
      ])
    })

    test('without an answer are named before they are sent as skipped', async () => {
      const { choose, all, answer } = await show()
      const note = () => all('question-note').at(-1)
      expect([note()?.textContent, note()?.getAttribute('role')]).toEqual(['', 'status'])
      await choose(1, 0)
      expect(note()?.textContent).toBe('Unanswered, sent as skipped: Color · Anything else?')
      await mounts.act(() => all('skip')[0]?.click())
      expect(answer.mock.calls).toEqual([
        ['a1', { 'Which color?': null, 'Which sizes?': null, 'Anything else?': null }],
      ])
    })

    test('are not sent by Enter on an option, and are by Ctrl with Enter', async () => {
      const { choose, block, answer } = await show()
      await choose(0, 0)
      const press = async (ctrlKey: boolean) => {
        const event = new KeyboardEvent('keydown', { key: 'Enter', ctrlKey, bubbles: true, cancelable: true })
        await mounts.act(() => block(0).querySelector('input')?.dispatchEvent(event))
        return event
      }
      expect((await press(false)).defaultPrevented).toBe(true)
      expect(answer).not.toHaveBeenCalled()
      await press(true)
      expect(answer).toHaveBeenCalledOnce()
    })

    test('tie options to their names and descriptions, and hide no character', async () => {
      const { block, place } = await show()
      const [first, second] = block(0).querySelectorAll('input')
      const named = (input: Element | undefined, attribute: string) =>
        place.querySelector(`[id="${input?.getAttribute(attribute)}"]`)?.textContent
      expect([named(first, 'aria-labelledby'), named(first, 'aria-describedby')]).toEqual(['Red', 'Warm'])
      expect(named(second, 'aria-labelledby')).toBe(HOSTILE.replace('\u202e', '⟨U+202E⟩'))
      expect(second?.hasAttribute('aria-describedby')).toBe(false)
      expect(place.querySelector('img')).toBeNull()
      const names = new Set([...place.querySelectorAll('input')].map(input => input.name))
      expect(names.size).toBe(2)
    })

    test('are shown with their answers afterwards, not as JSON', async () => {
      const { all, place } = await show(answerQuestions())
      const [header] = all('tool-header')
      await mounts.act(() => header?.click())
      const text = place.textContent ?? ''
      for (const { question } of QUESTIONS) expect(text).toContain(question)
      expect(all('tool-output')[0]?.textContent).toContain('→ S, L')
      expect(all('decision')[0]?.textContent).toBe('Answered')
    })
  })
}
