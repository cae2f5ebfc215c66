/** The public status of provider keys, without a server. */
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
