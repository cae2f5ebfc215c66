/** The slash commands: one situation each, so that every state of a front end can be seen on demand. */
import type { ModelRequest, ToolSpec } from '@toolwire/core'
import { fillSchema } from '../input/fill-schema.ts'
import { fitInput } from '../input/fit-input.ts'
import { toInputText } from '../input/input-text.ts'
import type { Phrases } from '../phrases/phrase-book.ts'
import { type Plan, type PlannedBlock, sayPlan } from '../plan/plan.ts'
import { isKnownTool, toolFor } from '../understand/known-tools.ts'
import { invalidInput, largeInput, stringField } from './show-inputs.ts'

interface ShowContext {
  readonly argument: string
  readonly request: ModelRequest
  readonly phrases: Phrases
}

export interface Showcase {
  readonly usage: string
  readonly en: string
  readonly zh: string
  readonly plan: (context: ShowContext) => Plan
}

const row = (usage: string, en: string, zh: string, plan: Showcase['plan']): Showcase => ({
  usage,
  en,
  zh,
  plan,
})

/** In the order of `/help`. `/scenario` is answered by the planner, which knows the scenarios. */
export const SHOWCASES: Readonly<Record<string, Showcase>> = {
  help: row('/help', 'this list', '显示本列表', help),
  parallel: row(
    '/parallel [n]',
    'n calls in one message (default 3)',
    '一条消息里调用 n 次工具（默认 3）',
    parallel,
  ),
  think: row('/think', 'a thinking block before the answer', '先思考再回答', think),
  long: row('/long [words]', 'a long answer (default 400 words)', '很长的回答（默认 400 词）', long),
  big: row('/big [KB]', 'a call with a large input (default 200 KB)', '参数很大的调用（默认 200 KB）', big),
  error: row('/error', 'a call that fails', '会失败的调用', error),
  badjson: row('/badjson', 'a call whose arguments are not JSON', '参数不是 JSON 的调用', badJson),
  maxtokens: row('/maxtokens', 'the output limit in the middle of a call', '调用中途到达输出上限', maxTokens),
  refuse: row('/refuse', 'a refusal', '拒绝回答', refuse),
  unknown: row('/unknown', 'a call of a tool that does not exist', '调用不存在的工具', unknownTool),
  invalid: row('/invalid', 'a call that breaks the schema', '参数不符合约定的调用', invalid),
  slow: row('/slow [seconds]', 'a slow answer (default 10)', '缓慢的回答（默认 10 秒）', slow),
  ask: row('/ask', 'a call that needs approval', '需要批准的调用', ask),
  client: row(
    '/client [text]',
    'calls the first tool that your page brings',
    '调用页面提供的第一个工具',
    client,
  ),
  markdown: row(
    '/markdown',
    'rich Markdown with code, a table and Chinese',
    '带代码、表格和中文的 Markdown',
    markdown,
  ),
  fail: row(
    '/fail [code]',
    'the model itself fails (default model_overloaded)',
    '模型本身出错（默认 model_overloaded）',
    fail,
  ),
  scenario: row(
    '/scenario NAME',
    'plays a scenario until /scenario off',
    '播放一个场景，直到 /scenario off',
    help,
  ),
}

/** The list of commands in both languages. */
function help({ phrases }: ShowContext): Plan {
  const lines = Object.values(SHOWCASES).map(show => `- \`${show.usage}\`: ${show.en} · ${show.zh}`)
  return sayPlan(`${phrases.show.helpHead}\n\n${lines.join('\n')}`)
}

function callPlan(
  before: string,
  ...calls: readonly { readonly name: string; readonly input_text: string }[]
): Plan {
  const blocks = calls.map((call): PlannedBlock => ({ type: 'tool_use', ...call }))
  return { blocks: [{ type: 'text', text: before }, ...blocks], stop_reason: 'tool_use' }
}

const COMMANDS = ['ls -la', 'pwd', 'date', 'whoami', 'uname -s', 'echo 你好', 'wc -l /etc/hosts', 'id -un']
const numberFrom = (text: string, fallback: number, most: number): number => {
  const value = Number.parseFloat(text)
  return Number.isFinite(value) && value >= 0 ? Math.min(value, most) : fallback
}

function parallel({ argument, request, phrases }: ShowContext): Plan {
  const count = Math.max(1, Math.floor(numberFrom(argument, 3, 64)))
  const shell = toolFor('shell', request.tools)
  const tool = shell ?? request.tools[0]
  if (!tool) return sayPlan(phrases.show.needsTool)
  const calls = Array.from({ length: count }, (_, nth) => {
    const command = COMMANDS[nth] ?? `echo ${nth + 1}`
    const input = shell
      ? fitInput(shell, { command, description: `Demo ${nth + 1}` }, command)
      : fillSchema(tool.input_schema, `demo ${nth + 1}`)
    return { name: tool.name, input_text: toInputText(input) }
  })
  return callPlan(phrases.show.before.parallel, ...calls)
}

function think({ phrases }: ShowContext): Plan {
  const { thinking, answer } = phrases.show.think
  return {
    blocks: [
      { type: 'thinking', thinking },
      { type: 'text', text: answer },
    ],
    stop_reason: 'end_turn',
  }
}

function long({ argument, phrases }: ShowContext): Plan {
  const words = Math.floor(numberFrom(argument, 400, 200_000))
  const sentences = phrases.show.longSentences
  const paragraphs: string[] = []
  for (let said = 0, nth = 0; said < words; nth++) {
    const sentence = sentences[nth % sentences.length] ?? ''
    paragraphs.push(nth > 0 && nth % 5 === 0 ? `\n\n${sentence}` : sentence)
    said += Math.max(1, sentence.split(/\s+|(?<=\p{Script=Han})/u).length)
  }
  return sayPlan(paragraphs.join(' '))
}

function big({ argument, request, phrases }: ShowContext): Plan {
  const bytes = Math.floor(numberFrom(argument, 200, 8192) * 1024)
  const tool =
    toolFor('write', request.tools) ??
    request.tools.find(candidate => stringField(candidate.input_schema) !== undefined)
  if (!tool) return sayPlan(phrases.show.needsTool)
  return callPlan(phrases.show.before.big, {
    name: tool.name,
    input_text: toInputText(largeInput(tool, bytes)),
  })
}

const MISSING = '/no/such/file.txt'

function error({ request, phrases }: ShowContext): Plan {
  const read = toolFor('read', request.tools)
  const shell = toolFor('shell', request.tools)
  const other = request.tools[0]
  const before = phrases.show.before.error
  if (read)
    return callPlan(before, {
      name: read.name,
      input_text: toInputText(fitInput(read, { file_path: MISSING, path: MISSING }, MISSING)),
    })
  if (shell)
    return callPlan(before, {
      name: shell.name,
      input_text: toInputText(fitInput(shell, { command: `cat ${MISSING}`, description: 'Fail' }, MISSING)),
    })
  return other
    ? callPlan(before, { name: other.name, input_text: toInputText(fillSchema(other.input_schema, MISSING)) })
    : sayPlan(phrases.show.needsTool)
}

const shellOrFirst = (tools: readonly ToolSpec[]): ToolSpec | undefined => toolFor('shell', tools) ?? tools[0]

function badJson({ request, phrases }: ShowContext): Plan {
  const tool = shellOrFirst(request.tools)
  if (!tool) return sayPlan(phrases.show.needsTool)
  return callPlan(phrases.show.before.badjson, {
    name: tool.name,
    input_text: '{"command": "ls -la", "description": oops}',
  })
}

function maxTokens({ request, phrases }: ShowContext): Plan {
  const tool = toolFor('write', request.tools) ?? shellOrFirst(request.tools)
  if (!tool) return sayPlan(phrases.show.needsTool)
  const whole = toInputText(largeInput(tool, 400))
  const cut = callPlan(phrases.show.before.maxtokens, {
    name: tool.name,
    input_text: [...whole].slice(0, -40).join(''),
  })
  return { ...cut, stop_reason: 'max_tokens' }
}

function refuse({ phrases }: ShowContext): Plan {
  return {
    blocks: [{ type: 'text', text: phrases.show.refuse }],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: 'demo', explanation: phrases.show.refuse },
  }
}

function unknownTool({ phrases }: ShowContext): Plan {
  return callPlan(phrases.show.before.unknown, {
    name: 'NoSuchTool',
    input_text: '{"question": "Does this tool exist?"}',
  })
}

function invalid({ request, phrases }: ShowContext): Plan {
  const tool = shellOrFirst(request.tools)
  if (!tool) return sayPlan(phrases.show.needsTool)
  return callPlan(phrases.show.before.invalid, {
    name: tool.name,
    input_text: toInputText(invalidInput(tool.input_schema)),
  })
}

function slow({ argument, phrases }: ShowContext): Plan {
  const pieces = phrases.show.slow
  const ms = Math.floor((numberFrom(argument, 10, 3600) * 1000) / pieces.length)
  return { blocks: [{ type: 'text', text: pieces.join(''), pieces, pause_ms: ms }], stop_reason: 'end_turn' }
}

function ask({ request, phrases }: ShowContext): Plan {
  const shell = toolFor('shell', request.tools)
  const write = toolFor('write', request.tools)
  const before = phrases.show.before.ask
  if (shell)
    return callPlan(before, {
      name: shell.name,
      input_text: toInputText(
        fitInput(shell, { command: 'touch demo.txt', description: 'Create demo.txt' }, ''),
      ),
    })
  if (write)
    return callPlan(before, {
      name: write.name,
      input_text: toInputText(
        fitInput(write, { file_path: 'demo.txt', path: 'demo.txt', content: 'demo\n' }, ''),
      ),
    })
  return sayPlan(phrases.show.needsTool)
}

function client({ argument, request, phrases }: ShowContext): Plan {
  const tool = request.tools.find(
    candidate => !isKnownTool(candidate.name) && !candidate.name.startsWith('mcp__'),
  )
  if (!tool) return sayPlan(phrases.show.needsClientTool)
  return callPlan(phrases.show.before.client, {
    name: tool.name,
    input_text: toInputText(fillSchema(tool.input_schema, argument)),
  })
}

function markdown({ phrases }: ShowContext): Plan {
  return sayPlan(phrases.show.markdown)
}

function fail({ argument }: ShowContext): Plan {
  const code = /^[a-z_]+$/.test(argument) ? argument : 'model_overloaded'
  return {
    blocks: [],
    stop_reason: 'end_turn',
    error: {
      code,
      message: `The demo model fails with ${code}, as asked.`,
      retryable: code !== 'model_error',
      provider: 'demo',
    },
  }
}
