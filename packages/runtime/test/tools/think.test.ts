import { expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/tools/builtin/builtin-tools.ts'
import { createThinkTool } from '../../src/tools/builtin/think.ts'

const setting = { cwd: '/', permission_mode: 'default', model: 'thinker' }

test('Think is not offered to models that think by themselves, where the settings say so', () => {
  const find = (hides_think?: (model: string) => boolean) =>
    createBuiltinTools({ hides_think }).find(tool => tool.name === 'Think')
  expect(find()?.isEnabled?.(setting)).toBe(true)
  const hidden = find(model => model === 'thinker')
  expect(hidden?.isEnabled?.(setting)).toBe(false)
  expect(hidden?.isEnabled?.({ ...setting, model: 'other' })).toBe(true)
})

test('a thought is shown as a thought, touches nothing and may be had again', async () => {
  const tool = createThinkTool()
  expect(tool.view?.({ thought: 'x' })).toMatchObject({ kind: 'thought' })
  expect(await tool.access?.({ thought: 'x' }, {} as never)).toEqual([])
  expect([tool.isReadOnly({ thought: 'x' }, {} as never), tool.may_repeat]).toEqual([true, true])
})
