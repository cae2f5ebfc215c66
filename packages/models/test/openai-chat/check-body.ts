/** The Chat Completions API's rules for a request. Returns every violation. */
import type { ChatBody } from '../../src/openai-chat/schema.ts'

export function checkChatBody(body: ChatBody): readonly string[] {
  const problems: string[] = []
  const ids = new Set<string>()
  let open: readonly string[] = []
  body.messages.forEach((message, place) => {
    const where = `messages.${place}`
    if (message.role === 'tool') {
      if (message.tool_call_id !== open[0])
        problems.push(`${where}: answers ${message.tool_call_id}, not ${open[0]}`)
      open = open.slice(1)
      if (message.content === '') problems.push(`${where}: empty result`)
      return
    }
    if (open.length > 0) problems.push(`${where}: before ${open.join()} was answered`)
    open = []
    if (message.role === 'assistant') {
      open = (message.tool_calls ?? []).map(call => call.id)
      if (message.tool_calls?.length === 0) problems.push(`${where}: empty tool_calls`)
      if (!message.content && open.length === 0) problems.push(`${where}: says nothing`)
      if (message.content === '') problems.push(`${where}: empty string`)
      for (const call of message.tool_calls ?? []) problems.push(...checkCall(call, where, ids))
    } else if (message.content.length === 0) problems.push(`${where}: empty content`)
  })
  if (open.length > 0) problems.push('unanswered at the end')
  return problems
}

function checkCall(
  call: { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } },
  where: string,
  ids: Set<string>,
): readonly string[] {
  const problems: string[] = []
  if (call.id === '' || call.id.length > 64 || ids.has(call.id)) problems.push(`${where}: id ${call.id}`)
  ids.add(call.id)
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name)) problems.push(`${where}: name ${call.function.name}`)
  try {
    JSON.parse(call.function.arguments)
  } catch {
    problems.push(`${where}: arguments`)
  }
  return problems
}
