/** The page of `examples/ai-sdk` with Vue: the same elements, so that the same tests drive it. */
import { Chat } from '@ai-sdk/vue'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai'
import { createApp, h, reactive, watch } from 'vue'

const API = '/api/ai/v7/chat'
if (location.hash === '') history.replaceState(null, '', `#${crypto.randomUUID()}`)
const id = location.hash.slice(1)
const { messages } = await (await fetch(`${API}/${id}/messages`)).json()
const page = reactive({ degrees: 20 })
const parameters = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] }
const tools = { set_temperature: { description: 'Sets the temperature of the heater.', parameters } }

const chat = new Chat({
  id,
  messages,
  transport: new DefaultChatTransport({ api: API, body: { tools } }),
  sendAutomaticallyWhen: options =>
    lastAssistantMessageIsCompleteWithToolCalls(options) ||
    lastAssistantMessageIsCompleteWithApprovalResponses(options),
})

const started = new Set()
function runOpenCalls() {
  if (chat.status !== 'ready') return
  for (const part of chat.messages.at(-1)?.parts ?? []) {
    if (part.type !== 'dynamic-tool' || part.state !== 'input-available' || part.providerExecuted) continue
    if (started.has(part.toolCallId)) continue
    started.add(part.toolCallId)
    const one = { tool: part.toolName, toolCallId: part.toolCallId }
    const value = part.input?.value
    if (typeof value === 'number' && value <= 30) {
      page.degrees = value
      void chat.addToolOutput({ ...one, output: { temperature: value } })
    } else void chat.addToolOutput({ ...one, state: 'output-error', errorText: 'the heater has 30 degrees at most' })
  }
}
watch(() => [chat.status, chat.messages.at(-1)?.parts.length], runOpenCalls, {
  flush: 'post',
  immediate: true,
})
// The package has no option for it: a running response is joined by the page.
void chat.resumeStream()
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible' && chat.status === 'error') void chat.resumeStream()
})

const button = (part, onClick, text) => h('button', { type: 'button', 'data-part': part, onClick }, text)
const textOf = value => (typeof value === 'string' ? value : JSON.stringify(value))

function drawCall(call) {
  const decide = approved => () => chat.addToolApprovalResponse({ id: call.approval.id, approved })
  return h('section', { 'data-part': 'call', 'data-tool': call.toolName, 'data-state': call.state }, [
    h('code', JSON.stringify(call.input)),
    call.state === 'output-available' ? h('pre', textOf(call.output)) : null,
    call.state === 'approval-requested'
      ? [button('approve', decide(true), 'Allow'), button('deny', decide(false), 'Deny')]
      : null,
  ])
}

function drawPart(part) {
  if (part.type === 'text') return h('p', { 'data-part': 'text' }, part.text)
  if (part.type === 'reasoning') return h('p', { 'data-part': 'reasoning' }, part.text)
  if (part.type === 'file') return h('p', { 'data-part': 'file' }, `${part.filename ?? ''} ${part.mediaType}`)
  return part.type === 'dynamic-tool' ? drawCall(part) : null
}

function drawMessage(message) {
  const edit = event => {
    if (event.key === 'Enter') void chat.sendMessage({ text: event.target.value, messageId: message.id })
  }
  const regenerate = () => chat.regenerate({ messageId: message.id })
  return h('article', { key: message.id, 'data-role': message.role, 'data-id': message.id }, [
    message.parts.map(drawPart),
    message.role === 'user'
      ? h('input', { 'data-part': 'edit', onKeydown: edit })
      : button('regenerate', regenerate, 'Answer again'),
  ])
}

function submit(event) {
  event.preventDefault()
  const form = event.currentTarget
  const { files } = form.elements.namedItem('files')
  const text = form.elements.namedItem('text').value
  if (text !== '') void chat.sendMessage({ text, ...(files.length > 0 ? { files } : {}) })
  form.reset()
}

async function stop() {
  await fetch(`${API}/${id}/stop`, { method: 'POST' })
  await chat.stop()
}

createApp(() =>
  h('main', { 'data-status': chat.status }, [
    h('output', { 'data-part': 'heater' }, `${page.degrees}°`),
    chat.messages.map(drawMessage),
    chat.error ? h('p', { role: 'alert' }, chat.error.message) : null,
    h('form', { onSubmit: submit }, [
      h('input', { name: 'text' }),
      h('input', { name: 'files', type: 'file', multiple: true }),
      h('button', { type: 'submit' }, 'Send'),
    ]),
    button('stop', stop, 'Stop'),
    button('retry', () => chat.regenerate(), 'Another answer'),
  ]),
).mount('#app')
