/** What forms do in every framework: each mounts them in its own way and runs these tests. */
import type { Schema } from '@toolwire/core/parts'
import { createTranslate, en } from '@toolwire/core/view'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Script } from '../../core/test/view/script.ts'
import type { SchemaFormProps, SessionCommands, SessionProviderProps } from '../src/index.ts'
import { driveSession, noCommands } from './driven-session.ts'

export interface FormMounts {
  readonly form: (props: SchemaFormProps, place: HTMLElement) => Promise<() => void>
  readonly conversation: (
    given: {
      readonly session: ReturnType<typeof driveSession>['source']
      readonly commands: SessionCommands
      readonly onForm?: SessionProviderProps['onForm']
    },
    place: HTMLElement,
  ) => Promise<() => void>
  /** Lets everything that an act causes be drawn. */
  readonly act: (act: () => void) => Promise<void>
}

const t = createTranslate(en)
const SCHEMA: Schema = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'Where it is' },
    limit: { type: 'integer' },
    mode: { enum: ['fast', 'slow'] },
    sure: { type: 'boolean' },
    deep: { type: 'object' },
  },
}

let unmount = () => {}
afterEach(() => {
  unmount()
  unmount = () => {}
})

/** What can be done with what is drawn. */
function hands(place: HTMLElement, act: FormMounts['act']) {
  const part = <T extends HTMLElement = HTMLElement>(name: string): T => {
    const found = place.querySelector<T>(`[data-tw-part="${name}"]`)
    if (!found) throw new Error(`no ${name} in ${place.innerHTML}`)
    return found
  }
  const field = (name: string): HTMLInputElement => {
    const labels = [...place.querySelectorAll<HTMLLabelElement>('[data-tw-part="field"] label')]
    const label = labels.find(one => one.querySelector('[data-tw-part="field-name"]')?.textContent === name)
    const control = label && place.querySelector<HTMLInputElement>(`[id="${label.htmlFor}"]`)
    if (!control) throw new Error(`no field ${name} in ${place.innerHTML}`)
    return control
  }
  const put = (control: HTMLInputElement, text: string) =>
    act(() => {
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value') ?? {}
      set?.call(control, text)
      control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }))
    })
  return {
    part,
    has: (name: string) => place.querySelector(`[data-tw-part="${name}"]`) !== null,
    field,
    type: (name: string, text: string) => put(field(name), text),
    json: () => part<HTMLInputElement>('schema-form').querySelector<HTMLInputElement>('label textarea'),
    put,
    click: (name: string) => act(() => part(name).click()),
    problems: () => [...place.querySelectorAll('[data-tw-part="error"]')].map(one => one.textContent),
  }
}

export function testForms(mounts: FormMounts): void {
  async function draw(given: Partial<SchemaFormProps> = {}) {
    const place = document.createElement('div')
    document.body.append(place)
    const onSubmit = vi.fn()
    const onCancel = vi.fn()
    const props = { schema: SCHEMA, t, submit: 'Go', busy: false, onSubmit, onCancel, ...given }
    const leave = await mounts.form(props, place)
    unmount = () => {
      leave()
      place.remove()
    }
    return { ...hands(place, mounts.act), place, onSubmit, onCancel }
  }

  describe('a form from a schema', () => {
    test('says what is wrong when it is sent, not before, and sends nothing then', async () => {
      const { type, click, problems, field, onSubmit } = await draw()
      await type('limit', 'many')
      expect(problems()).toEqual([])
      await click('submit')
      expect(problems()).toEqual([t('form.required'), t('form.number')])
      expect(field('path').getAttribute('aria-invalid')).toBe('true')
      expect(field('mode').getAttribute('aria-invalid')).toBe('false')
      expect(onSubmit).not.toHaveBeenCalled()
    })

    test('sends values of the right types, once', async () => {
      const { type, click, onSubmit } = await draw()
      await type('path', '7')
      await type('limit', '7')
      await type('mode', '"slow"')
      await type('sure', 'false')
      await type('deep', '{"a":[1]}')
      await click('submit')
      expect(onSubmit.mock.calls).toEqual([
        [{ path: '7', limit: 7, mode: 'slow', sure: false, deep: { a: [1] } }],
      ])
    })

    test('is JSON when asked, sends what is written there, and takes it back into the fields', async () => {
      const { type, click, json, put, field, onSubmit } = await draw()
      await type('path', 'a')
      await click('as-json')
      expect(JSON.parse(json()?.value ?? '')).toEqual({ path: 'a' })
      const area = json()
      if (area) await put(area, '{"path":"b","limit":3}')
      await click('submit')
      expect(onSubmit).toHaveBeenLastCalledWith({ path: 'b', limit: 3 })
      await click('as-json')
      expect([field('path').value, field('limit').value]).toEqual(['b', '3'])
    })

    test('cannot be sent with invalid JSON, says so, and keeps the fields as they were', async () => {
      const { type, click, json, put, part, problems, field, onSubmit } = await draw()
      await type('path', 'kept')
      await click('as-json')
      const area = json()
      if (area) await put(area, '{"path":')
      expect(part<HTMLButtonElement>('submit').disabled).toBe(true)
      expect(problems()).toEqual([t('form.json')])
      expect(json()?.getAttribute('aria-invalid')).toBe('true')
      await mounts.act(() =>
        part('schema-form').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
      )
      expect(onSubmit).not.toHaveBeenCalled()
      await click('as-json')
      expect(field('path').value).toBe('kept')
    })

    test('puts what was not given behind "more", and leaves a field that is emptied where it is', async () => {
      const { place, type, field, click, onSubmit } = await draw({
        initial: { path: 'a', limit: 2, other: 'stays' },
      })
      const shown = () =>
        [...place.querySelectorAll('form > [data-tw-part="field"] [data-tw-part="field-name"]')].map(
          one => one.textContent,
        )
      expect(shown()).toEqual(['path', 'limit'])
      expect(field('mode').closest('details')?.getAttribute('data-tw-part')).toBe('more-fields')
      await type('limit', '')
      expect(shown()).toEqual(['path', 'limit'])
      await click('submit')
      expect(onSubmit).toHaveBeenLastCalledWith({ path: 'a', other: 'stays' })
    })

    test('shows everything and nothing behind "more" when nothing was given', async () => {
      const { place, has } = await draw()
      expect(place.querySelectorAll('form > [data-tw-part="field"]')).toHaveLength(5)
      expect(has('more-fields')).toBe(false)
    })

    test('is disabled while it is being sent, and says so', async () => {
      const { part } = await draw({ busy: true })
      for (const name of ['submit', 'as-json', 'back'])
        expect(part<HTMLButtonElement>(name).disabled).toBe(true)
      expect(part('submit').textContent).toBe(t('approval.sending'))
    })

    test('is left by its button, where it can be left', async () => {
      const { click, onCancel, onSubmit } = await draw()
      await click('back')
      expect(onCancel).toHaveBeenCalledOnce()
      expect(onSubmit).not.toHaveBeenCalled()
      unmount()
      expect((await draw({ onCancel: undefined })).has('back')).toBe(false)
    })

    test('ties names and notes to their controls', async () => {
      const { field, place } = await draw()
      const note = field('path').getAttribute('aria-describedby')
      expect(place.querySelector(`[id="${note}"]`)?.textContent).toBe('Where it is')
      expect(field('limit').hasAttribute('aria-describedby')).toBe(false)
      expect([field('limit').inputMode, field('path').tagName, field('sure').tagName]).toEqual([
        'numeric',
        'TEXTAREA',
        'SELECT',
      ])
    })
  })

  describe('arguments that are edited before a call runs', () => {
    async function ask(input: unknown, commands: Partial<SessionCommands> = {}) {
      const script = new Script().created().ask('go').turn('m1').call('m1', 0, 'c0', { name: 'Save', input })
      script.add('tool.approval_requested', {
        approval_id: 'a0',
        call_id: 'c0',
        name: 'Save',
        allow_edit: true,
      })
      const approve = vi.fn(() => new Promise<never>(() => {}))
      const place = document.createElement('div')
      document.body.append(place)
      const session = driveSession(script).source
      const leave = await mounts.conversation(
        { session, commands: { ...noCommands, approve, ...commands } },
        place,
      )
      unmount = () => {
        leave()
        place.remove()
      }
      const found = hands(place, mounts.act)
      await found.click('edit')
      return { ...found, approve }
    }

    test('are asked for by the schema of the tool, and go out whole', async () => {
      const tools = async () => [{ name: 'Save', input_schema: SCHEMA }]
      const { type, click, field, approve } = await ask({ path: 'a', extra: 1 }, {
        tools,
      } as Partial<SessionCommands>)
      await type('path', 'b')
      expect(field('limit').closest('details')).not.toBeNull()
      await click('submit')
      expect(approve.mock.calls).toEqual([['a0', { input: { path: 'b', extra: 1 } }]])
    })

    for (const [name, tools] of [
      ['when nobody knows the tool', async () => []],
      ['when the server does not tell', () => Promise.reject(new Error('no'))],
      ['when the server cannot be asked', undefined],
    ] as const)
      test(`are asked for by their own names ${name}`, async () => {
        const { type, click, approve } = await ask({ count: 2 }, { tools } as Partial<SessionCommands>)
        await type('count', '3')
        await click('submit')
        expect(approve.mock.calls).toEqual([['a0', { input: { count: 3 } }]])
      })

    test('that are no object are written as JSON, and sent only when they are', async () => {
      const { part, put, click, problems, approve } = await ask('text')
      const area = part('form').querySelector<HTMLInputElement>('textarea')
      expect(area?.value).toBe('"text"')
      if (area) await put(area, '"te')
      expect(part<HTMLButtonElement>('submit').disabled).toBe(true)
      expect(problems()).toEqual([t('approval.edit_invalid')])
      if (area) await put(area, '["other"]')
      await click('submit')
      expect(approve.mock.calls).toEqual([['a0', { input: ['other'] }]])
    })

    test('stay as they are when the form is left', async () => {
      const { click, has, approve } = await ask({ count: 2 })
      await click('back')
      expect([has('schema-form'), has('allow-once')]).toEqual([false, true])
      await click('allow-once')
      expect(approve).toHaveBeenCalledOnce()
      const [id, options]: readonly unknown[] = approve.mock.lastCall ?? []
      expect([id, options]).toEqual(['a0', undefined])
    })
  })
}
