/** The configuration of docs/recipes/sign-in.md can be used as it is, and the page names every setting of an issuer. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import { expect, it } from 'vitest'
import { configJsonSchema, readConfig } from '../src/config.ts'
import { inFolder } from './launch.ts'

const page = readFileSync(new URL('../../../docs/recipes/sign-in.md', import.meta.url), 'utf8')
const block = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? ''

it('is a configuration, in the file and in the variable', async () => {
  expect(new Validator(configJsonSchema(), '2020-12').validate(JSON.parse(block)).errors).toEqual([])
  await inFolder(async dir => {
    const env = { TOOLWIRE_AUTH: JSON.stringify(JSON.parse(block).auth) }
    const byVariable = readConfig({ flags: {}, env, cwd: dir })
    writeFileSync(join(dir, 'toolwire.config.json'), block)
    const { auth } = readConfig({ flags: {}, env: {}, cwd: dir })
    expect(auth?.jwt[0]).toMatchObject({ audience: 'toolwire', clockSkewS: 30, claims: { owner: 'sub' } })
    expect(byVariable.auth).toEqual(auth)
    for (const name of Object.keys(auth?.jwt[0] ?? {})) expect(page).toContain(`\`${name}`)
  })
})

it('is refused with the name of what is wrong, and without its value', async () => {
  await inFolder(async dir => {
    for (const text of ['hunter2', '{"jwt":[{"issuer":"https://a:hunter2@b","audience":"c"}]}'])
      expect(() => readConfig({ flags: {}, env: { TOOLWIRE_AUTH: text }, cwd: dir })).toThrow(
        /^auth((?!hunter2).)*$/,
      )
  })
})
