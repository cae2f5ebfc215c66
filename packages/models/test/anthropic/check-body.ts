/** The Messages API's rules for a request, as strictly as they are known. Returns every violation. */
import { writeJson } from '@toolwire/core'
import type { MessagesBody } from '../../src/anthropic/schema.ts'

type Block = Readonly<Record<string, unknown>>

export function checkMessagesBody(body: MessagesBody): readonly string[] {
  const wire = JSON.parse(writeJson(body)) as MessagesBody
  const all = wire.messages as readonly { role: string; content: readonly Block[] }[]
  const messages = all.filter(message => message.role !== 'system')
  const problems: string[] = all.flatMap((message, place) =>
    message.role === 'system'
      ? checkSystem(message.content, [all[place - 1]?.role, all[place + 1]?.role])
      : [],
  )
  const ids = new Set<string>()
  messages.forEach((message, place) => {
    const where = `messages.${place}`
    if (message.role !== (place % 2 === 0 ? 'user' : 'assistant'))
      problems.push(`${where}: role ${message.role}`)
    if (message.content.length === 0) problems.push(`${where}: empty content`)
    problems.push(...message.content.flatMap(block => checkBlock(block, where)))
    if (message.role === 'assistant')
      problems.push(...checkAssistant(message.content, messages[place + 1]?.content ?? [], where, ids))
    else problems.push(...checkUser(message.content, messages[place - 1]?.content ?? [], where))
  })
  const marks = JSON.stringify(wire).split('"cache_control"').length - 1
  if (marks > 4) problems.push(`${marks} cache marks`)
  if (messages.some(m => m.content.some(b => b['type'] === 'tool_use')) && !wire.tools?.length)
    problems.push('calls without tools')
  for (const tool of wire.tools ?? []) problems.push(...checkTool(tool as Block))
  return problems
}

/** Behind a user's message, and at the end or before the assistant's. */
function checkSystem(
  content: readonly Block[],
  [before, after]: readonly (string | undefined)[],
): readonly string[] {
  const isPlaced = before === 'user' && (after === undefined || after === 'assistant')
  const isText = content.length > 0 && content.every(block => block['type'] === 'text')
  return [
    ...(isPlaced ? [] : [`system between ${before} and ${after}`]),
    ...(isText ? content.flatMap(block => checkBlock(block, 'system')) : ['system without text']),
  ]
}

function checkBlock(block: Block, where: string): readonly string[] {
  if (block['type'] === 'text' && String(block['text']).trim() === '') return [`${where}: blank text`]
  if (block['type'] === 'thinking' && !block['signature']) return [`${where}: unsigned thinking`]
  if (typeof block['type'] !== 'string') return [`${where}: a block without type`]
  return []
}

function checkAssistant(
  content: readonly Block[],
  next: readonly Block[],
  where: string,
  ids: Set<string>,
): readonly string[] {
  const problems: string[] = []
  const calls = content.filter(block => block['type'] === 'tool_use')
  for (const call of calls) {
    const id = String(call['id'])
    if (!/^[a-zA-Z0-9_-]+$/.test(id)) problems.push(`${where}: id ${id}`)
    if (ids.has(id)) problems.push(`${where}: id ${id} again`)
    ids.add(id)
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(call['name']))) problems.push(`${where}: name ${call['name']}`)
    if (typeof call['input'] !== 'object' || call['input'] === null || Array.isArray(call['input']))
      problems.push(`${where}: input`)
  }
  const last = content.at(-1)?.['type']
  if (last === 'thinking' || last === 'redacted_thinking') problems.push(`${where}: ends in thinking`)
  const answered = next.slice(0, calls.length).map(block => block['tool_use_id'])
  if (calls.some((call, place) => answered[place] !== call['id']))
    problems.push(`${where}: calls not answered in order, first`)
  return problems
}

function checkUser(content: readonly Block[], before: readonly Block[], where: string): readonly string[] {
  const problems: string[] = []
  const asked = before.filter(block => block['type'] === 'tool_use').length
  const results = content.filter(block => block['type'] === 'tool_result')
  if (results.length !== asked) problems.push(`${where}: ${results.length} results for ${asked} calls`)
  for (const result of results) {
    const inner = result['content'] as readonly Block[] | undefined
    if (inner && inner.length === 0) problems.push(`${where}: empty result content`)
    problems.push(...(inner ?? []).flatMap(block => checkBlock(block, where)))
    if (inner?.some(block => 'cache_control' in block)) problems.push(`${where}: mark inside a result`)
    if (result['is_error'] && inner?.some(block => block['type'] !== 'text'))
      problems.push(`${where}: media in an error`)
  }
  const hasDocument = content.some(block => block['type'] === 'document')
  if (hasDocument && !content.some(block => block['type'] === 'text'))
    problems.push(`${where}: mute document`)
  return problems
}

function checkTool(tool: Block): readonly string[] {
  const schema = tool['input_schema'] as Block
  const problems: string[] = []
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool['name']))) problems.push(`tool name ${tool['name']}`)
  if (schema['type'] !== 'object') problems.push('schema root is no object')
  if ('oneOf' in schema || 'anyOf' in schema || 'allOf' in schema) problems.push('union at the root')
  return problems
}
