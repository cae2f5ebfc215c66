/** A session as Markdown: what was asked, what was done, what was answered. Pure. */
import {
  blocksOf,
  type CallView,
  type MessageView,
  type SessionView,
  thinkingText,
  titleOf,
} from '@toolwire/core/view'

/** Exchanges in order. Calls have their arguments and output as in the log. */
export function sessionMarkdown(view: SessionView): string {
  const parts = view.turns.flatMap(turn =>
    turn.messages.flatMap(id => messageParts(view, view.messages.get(id))),
  )
  return `${[`# ${titleOf(view) || 'Session'}`, ...parts].join('\n\n')}\n`
}

function messageParts(view: SessionView, message: MessageView | undefined): readonly string[] {
  if (!message) return []
  if (message.role !== 'assistant') return [`**${message.role}**\n\n${quote(contentText(message))}`]
  return blocksOf(view, message).flatMap(block => {
    const thinking = thinkingText(view, block)
    if (thinking !== undefined) return thinking === '' ? [] : [`*Thinking*\n\n${quote(thinking)}`]
    const call = view.calls.get(block.call ?? '')
    if (call) return [callPart(call)]
    return block.kind === 'text' && block.text !== '' ? [block.text] : []
  })
}

const contentText = (message: MessageView): string =>
  message.content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')

const quote = (text: string): string =>
  text
    .split('\n')
    .map(line => `> ${line}`)
    .join('\n')

function callPart(call: CallView): string {
  const output = call.result?.output_text ?? ''
  const parts = [`**${call.name}** (${call.state})`, fence(call.input_text, 'json')]
  return [...parts, ...(output === '' ? [] : [fence(output, '')])].join('\n\n')
}

/** A fence longer than any in the text, so that the text cannot leave it. */
function fence(text: string, lang: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const ticks = '`'.repeat(longest + 1)
  return `${ticks}${lang}\n${text}\n${ticks}`
}
