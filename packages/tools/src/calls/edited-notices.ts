/** The news that a person changed a call before allowing it. Without it models make the original call again. Pure. */
import { type AgentState, type CallState, cutMiddle, defuseText, type Notice } from '@toolwire/core'

const EDITED_NOTE = 'edited:'
const MAX_INPUT = 2_000

/** One per call whose changed arguments have run. */
export function editedNotices({ calls, notes = {} }: Pick<AgentState, 'calls' | 'notes'>): readonly Notice[] {
  return calls.flatMap(call => {
    const name = EDITED_NOTE + call.call_id
    const edited = call.approval?.edited_input_text
    const hasRun = call.approval?.decision === 'approved' && call.outcome && call.started
    if (edited === undefined || !hasRun || notes[name] !== undefined) return []
    return [{ text: describe(call, edited), note: { name, value: true } }]
  })
}

function describe({ name, input_text }: CallState, edited: string): string {
  const ran = cutMiddle(defuseText(edited), MAX_INPUT)
  const fields = changedFields(input_text, edited)
  const what = fields.length === 0 ? 'the arguments' : fields.join(', ')
  return `A person changed ${what} of the call of ${name} before they allowed it. This ran instead: ${ran}\nThat is their decision: do not make the original call again.`
}

/** Names of the fields that differ. Empty where one of both is no object. */
function changedFields(before: string, after: string): readonly string[] {
  const [old, now] = [toObject(before), toObject(after)]
  if (!old || !now) return []
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  return names
    .filter(name => JSON.stringify(old[name]) !== JSON.stringify(now[name]))
    .map(name => defuseText(name).slice(0, 100))
    .slice(0, 20)
}

function toObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
