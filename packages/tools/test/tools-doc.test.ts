import { expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import { renderToolsDoc } from '../src/tools-doc.ts'

test('the page lists every tool with its limits and every parameter with its default', () => {
  const page = renderToolsDoc(createBuiltinTools())
  for (const { name } of createBuiltinTools()) expect(page).toContain(`## ${name}\n`)
  expect(page).toContain('| [Bash](#bash) |')
  expect(page).toContain('depends on the arguments')
  expect(page).toContain('`head_limit`')
  expect(page).toContain('Default: `250`.')
  expect(renderToolsDoc(createBuiltinTools())).toBe(page)
})

test('models get the tools in the same order and text every time', () => {
  const specs = () =>
    JSON.stringify(
      createBuiltinTools().map(({ name, description, input_schema }) => ({
        name,
        description,
        input_schema,
      })),
    )
  expect(specs()).toBe(specs())
  for (const { input_schema } of createBuiltinTools())
    expect(input_schema).toMatchObject({ type: 'object', additionalProperties: false })
})
