/** What is told of the keys of providers, without a server around them. */
import { expect, test } from 'vitest'
import { openProviderKeys } from '../src/provider-keys/provider-keys.ts'
import { inFolder } from './launch.ts'

test('the end of a key is told of long keys alone: of a short one it would be most', async () => {
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
