import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { SHOWCASES } from '../../src/demo/answer/showcases.ts'

it('docs/demo-model.md lists every slash command as /help does', async () => {
  const page = await readFile(new URL('../../../../docs/demo-model.md', import.meta.url), 'utf8')
  for (const show of Object.values(SHOWCASES)) expect(page).toContain(`| \`${show.usage}\` | ${show.en} |`)
})
