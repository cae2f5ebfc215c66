/** The form of a call as a file of the user: what was written there is not for the server. */
import type { CallView } from '@toolwire/core/view'
import { saveText } from './save-text.ts'

export const saveForm = (call: CallView, values: unknown): void =>
  saveText(JSON.stringify(values, null, 2), call.name, { type: 'application/json', extension: 'json' })
