/** A session as one page that needs nothing else: no script, no request, everything as plain text. Pure. */
import { markControls } from '@toolwire/core/parts'
import {
  blocksOf,
  type CallView,
  type MessageView,
  type SessionView,
  thinkingText,
  titleOf,
} from '@toolwire/core/view'

const STYLE = [
  ':root{color-scheme:light dark}*{font-variant-ligatures:none!important}',
  'body{max-width:760px;margin:32px auto;padding:0 16px;font:15px/1.6 system-ui,sans-serif}',
  'pre,p{white-space:pre-wrap;overflow-wrap:anywhere}',
  'pre{padding:10px 12px;border:1px solid #8884;border-radius:8px;font:13px/1.5 ui-monospace,monospace}',
  '.user{margin:24px 0;padding:10px 14px;border-radius:12px;background:#8882}',
  '.thinking{color:#888;font-style:italic}',
  'summary{cursor:pointer}details{margin:10px 0}',
].join('')

/** Nothing of the session is markup here: every text is escaped, and hidden characters are marked. */
export function sessionPage(view: SessionView): string {
  const title = escaped(titleOf(view) || 'Session')
  const body = view.turns.flatMap(turn =>
    turn.messages.flatMap(id => messageParts(view, view.messages.get(id))),
  )
  return [
    '<!doctype html><html><head><meta charset="utf-8">',
    `<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${title}</title><style>${STYLE}</style></head><body><h1>${title}</h1>`,
    ...body,
    '</body></html>\n',
  ].join('\n')
}

function messageParts(view: SessionView, message: MessageView | undefined): readonly string[] {
  if (!message) return []
  if (message.role !== 'assistant') {
    const text = message.content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
    return [`<p class="user">${escaped(text)}</p>`]
  }
  return blocksOf(view, message).flatMap(block => {
    const thinking = thinkingText(view, block)
    if (thinking !== undefined) return thinking === '' ? [] : [thinkingPart(thinking)]
    const call = view.calls.get(block.call ?? '')
    if (call) return [callPart(call)]
    return block.kind === 'text' && block.text !== '' ? [`<p>${escaped(block.text)}</p>`] : []
  })
}

const thinkingPart = (text: string): string =>
  `<details class="thinking"><summary>Thinking</summary><p>${escaped(text)}</p></details>`

function callPart(call: CallView): string {
  const output = call.result?.output_text ?? ''
  return [
    `<details><summary><b>${escaped(call.name)}</b> · ${call.state}</summary>`,
    `<pre>${escaped(call.input_text)}</pre>`,
    output === '' ? '' : `<pre>${escaped(output)}</pre>`,
    '</details>',
  ].join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string =>
  markControls(text).replace(/[&<>"']/g, sign => ESCAPES[sign] ?? sign)
