/** Tools that run in this page. A model may call them in every session that the page opens. */
import type { ClientTool } from '@toolwire/client'
import { client } from './client.ts'
import { setPreferences } from './preferences.ts'

const SET_THEME: ClientTool = {
  description: 'Switches the theme of the page that the user looks at.',
  input_schema: {
    type: 'object',
    properties: {
      theme: { type: 'string', enum: ['light', 'dark'], description: 'The theme to switch to' },
    },
    required: ['theme'],
  },
  handler(input) {
    const theme = (input as { readonly theme?: unknown } | null)?.theme
    if (theme !== 'light' && theme !== 'dark') throw new Error('theme: light or dark')
    setPreferences({ theme })
    return { theme }
  },
}

/** Offers them in a session, from its first message on. Returns what takes them back. */
export const registerPageTools = (session: string): (() => void) =>
  client.session(session).registerTool('set_theme', SET_THEME)
