/** The one connection of this page to its server. */
import { createClient } from '@toolwire/client'
import { getPreferences } from './preferences.ts'

export const client = createClient({
  headers: (): Record<string, string> => {
    const { apiKey } = getPreferences()
    return apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
  },
})
