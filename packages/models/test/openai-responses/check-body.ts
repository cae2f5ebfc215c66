/** The Responses API's rules for a request. Returns every violation. */
import type { ResponsesBody } from '../../src/openai-responses/schema.ts'

type Loose = Readonly<Record<string, unknown>>

export function checkResponsesBody(body: ResponsesBody): readonly string[] {
  const problems: string[] = []
  const ids = new Set<string>()
  const open = new Set<string>()
  const input: readonly Loose[] = body.input as readonly Loose[]
  input.forEach((item, place) => {
    const where = `input[${place}]`
    const next = input[place + 1]
    if (item['type'] === 'reasoning') problems.push(...checkReasoning(item, next, where))
    if (isCall(item)) {
      problems.push(...checkCall(item, where, ids))
      open.add(String(item['call_id']))
    } else if (isOutput(item)) {
      if (!open.delete(String(item['call_id']))) problems.push(`${where}: answers no call`)
      if (item['output'] === '') problems.push(`${where}: empty output`)
    } else if (open.size > 0 && item['type'] === 'message' && item['role'] !== 'assistant')
      problems.push(`${where}: before ${[...open].join()} was answered`)
    if (item['type'] === 'message' && Array.isArray(item['content']) && item['content'].length === 0)
      problems.push(`${where}: empty content`)
  })
  if (open.size > 0) problems.push('unanswered at the end')
  if (body.store) problems.push('stored')
  return problems
}

const isCall = (item: Loose): boolean =>
  item['type'] === 'function_call' || item['type'] === 'custom_tool_call'

const isOutput = (item: Loose): boolean =>
  item['type'] === 'function_call_output' || item['type'] === 'custom_tool_call_output'

function checkReasoning(item: Loose, next: Loose | undefined, where: string): readonly string[] {
  const { summary, encrypted_content } = item
  const isOther =
    next === undefined || isOutput(next) || (next['type'] === 'message' && next['role'] !== 'assistant')
  return [
    ...(!isOther ? [] : [`${where}: reasoning without its following item`]),
    ...(Array.isArray(summary) ? [] : [`${where}: no summary`]),
    ...(typeof encrypted_content === 'string' ? [] : [`${where}: not encrypted`]),
  ]
}

function checkCall(call: Loose, where: string, ids: Set<string>): readonly string[] {
  const problems: string[] = []
  const id = String(call['call_id'])
  if (id === '' || id.length > 64 || ids.has(id)) problems.push(`${where}: id ${id}`)
  ids.add(id)
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(call['name']))) problems.push(`${where}: name`)
  try {
    if (call['type'] === 'function_call') JSON.parse(String(call['arguments']))
  } catch {
    problems.push(`${where}: arguments`)
  }
  return problems
}
