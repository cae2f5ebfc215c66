/** Puts tool results into words. Says only what the results hold. */

import { isSchema } from '../input/json-schema.ts'
import type { Phrases } from '../phrases/phrase-book.ts'
import type { SettledCall } from '../understand/conversation.ts'
import type { Intent } from '../understand/intent.ts'
import { readListing, readPaths } from '../understand/read-listing.ts'

const MOST_NAMES = 20
const MOST_LINES = 8
const MOST_CHARACTERS = 1200

/** One paragraph about an intent whose calls are all settled. `done` is never empty. */
export function describeIntent(intent: Intent, done: readonly SettledCall[], phrases: Phrases): string {
  const latest = done.at(-1)
  if (!latest) return phrases.noTool(intent)
  const [first, search, ...reads] = done
  if (intent.type === 'read' && search && reads.length > 0 && !latest.is_error)
    return describeFile(readPaths(search.output)[0] ?? intent.path, latest.output.trimEnd(), phrases)
  if ((intent.type === 'read' || intent.type === 'edit') && first?.is_error && search && reads.length === 0)
    return phrases.missingFile(intent.path, search.is_error ? [] : limited(readPaths(search.output), phrases))
  return latest.is_error ? describeFailure(latest, phrases) : describeSuccess(intent, latest, phrases)
}

/** A paragraph about any call. */
export function describeCall(call: SettledCall, phrases: Phrases): string {
  return call.is_error ? describeFailure(call, phrases) : phrases.told(call.name, readable(call.output))
}

function describeSuccess(intent: Intent, call: SettledCall, phrases: Phrases): string {
  const output = call.output.trimEnd()
  switch (intent.type) {
    case 'list': {
      const names = readListing(output)
      return names.length === 0 ? phrases.emptyListing : phrases.listing(limited(names, phrases), intent.path)
    }
    case 'read':
      return describeFile(intent.path, output, phrases)
    case 'search':
      return describeMatches(intent.pattern, output, phrases)
    case 'find': {
      const names = readPaths(output)
      return names.length === 0
        ? phrases.noMatches(intent.pattern)
        : phrases.found(intent.pattern, limited(names, phrases))
    }
    case 'run':
      return phrases.ran(intent.command, output === '(no output)' ? '' : clipped(output))
    case 'write':
      return phrases.wrote(intent.path)
    case 'edit':
      return phrases.edited(intent.path, intent.from, newTextOf(call) ?? intent.to)
    case 'time':
      return phrases.time(readable(output))
    case 'remember':
      return phrases.remembered(intent.note)
    case 'weather':
    case 'web':
    case 'fetch':
    case 'recall':
    case 'agent':
    case 'tool':
      return phrases.told(call.name, readable(output))
  }
}

/** The final text: an approver may have edited it. */
const newTextOf = ({ input }: SettledCall): string | undefined =>
  isSchema(input) && typeof input['new_string'] === 'string' ? input['new_string'] : undefined

/** Words of a result that say that a call was not permitted. */
export const DENIED =
  /\b(?:denied|rejected|declined|refused by|not permitted|not allow(?:ed)?|permission)\b|拒绝|拒絕|不允许|未批准/iu

function describeFailure(call: SettledCall, phrases: Phrases): string {
  const message = clipped(call.output.trim())
  if (DENIED.test(message.slice(0, 300)) && !/permission denied/i.test(message))
    return phrases.denied(call.name, /They said: (.+)$/s.exec(message)?.[1] ?? message)
  const code = /^exit code:? (\d+)/i.exec(message)?.[1]
  const command =
    isSchema(call.input) && typeof call.input['command'] === 'string' ? call.input['command'] : undefined
  if (code !== undefined && command !== undefined)
    return phrases.exitCode(command, code, message.replace(/^exit code:? \d+\s*/i, '') || '-')
  return phrases.failed(call.name, message)
}

function describeFile(path: string, output: string, phrases: Phrases): string {
  const numbered = output.split('\n').flatMap(line => /^\s*\d+[\t→|](.*)$/u.exec(line)?.[1] ?? [])
  const lines = numbered.length > 0 ? numbered : output.split('\n')
  if (lines.every(line => line.trim() === '')) return phrases.emptyFile(path)
  const heading = lines.findIndex(line => line.trim() !== '')
  return phrases.file(path, lines.length, clipped(lines.slice(heading, heading + MOST_LINES).join('\n')))
}

function describeMatches(pattern: string, output: string, phrases: Phrases): string {
  const lines = output.split('\n').filter(line => line.trim() !== '')
  if (lines.length === 0 || /^no (?:matches|files) found/i.test(lines[0] ?? ''))
    return phrases.noMatches(pattern)
  return phrases.matches(
    pattern,
    limited(
      lines.map(line => line.trim().slice(0, 160)),
      phrases,
      MOST_LINES,
    ),
    lines.length,
  )
}

function limited(items: readonly string[], phrases: Phrases, most = MOST_NAMES): readonly string[] {
  return items.length <= most ? items : [...items.slice(0, most), phrases.more(items.length - most)]
}

/** JSON results as "key: value" lines, anything else as it is; long ones cut. */
function readable(output: string): string {
  const value = parsed(output)
  if (!isSchema(value)) return clipped(output.trim())
  const pairs = Object.entries(value).map(
    ([key, field]) => `${key}: ${typeof field === 'string' ? field : JSON.stringify(field)}`,
  )
  return pairs.length === 0 ? '{}' : clipped(pairs.join(', '))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function clipped(text: string): string {
  const characters = [...text]
  return characters.length <= MOST_CHARACTERS ? text : `${characters.slice(0, MOST_CHARACTERS).join('')}…`
}
