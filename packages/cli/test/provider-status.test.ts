/** The public status of provider keys, without a server of our own. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDemoModel, startFakeUpstream } from '@toolwire/demo'
import { expect, test } from 'vitest'
import { openProviderKeys } from '../src/provider-keys/provider-keys.ts'
import { inFolder } from './launch.ts'

test('only the end of a long key is shown: of a short one it would be most', async () => {
  await inFolder(async data => {
    for (const [key, last4] of [
      ['short-key-12345', undefined],
      ['long-enough-12345', '2345'],
    ] as const) {
      const { port } = openProviderKeys({ data, env: { ANTHROPIC_API_KEY: key }, hosts: [] })
      expect(port.list().find(one => one.provider === 'anthropic')?.last4).toBe(last4)
    }
  })
})

test('a key that fails its test is not stored, and the one before stays in use', async () => {
  const key = 'sk-ant-the-right-key-wxyz'
  const fake = await startFakeUpstream({ apiKey: key, model: createDemoModel({ paceMs: 0 }) })
  await inFolder(async data => {
    const file = join(data, 'provider-keys.json')
    const { port } = openProviderKeys({ data, env: {}, hosts: [] })
    const put = async (sent: string) => {
      const entry = { key: sent, base_url: fake.url }
      return await port.put('anthropic', entry, { isLocal: true, isTested: true })
    }
    expect(await put('sk-ant-mistyped')).toMatchObject({ set: false, stored: false, test: { ok: false } })
    expect(existsSync(file)).toBe(false)
    expect(await put(key)).toMatchObject({ stored: true, last4: 'wxyz', test: { ok: true } })
    expect(await put('sk-ant-mistyped')).toMatchObject({ last4: 'wxyz', test: { ok: false } })
    expect(readFileSync(file, 'utf8')).not.toContain('mistyped')
  })
  await fake.close()
})
