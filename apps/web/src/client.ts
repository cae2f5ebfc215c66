/** The one connection of this page to its server. */
import { createClient } from '@toolwire/client'
import { shareStreams } from '@toolwire/client/shared-stream'
import { getPreferences } from './preferences.ts'

/** The key that is set on this device, as requests carry it. */
export function authorization(): Record<string, string> {
  const { apiKey } = getPreferences()
  return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
}

export const client = createClient({ headers: authorization, share: shareStreams })
