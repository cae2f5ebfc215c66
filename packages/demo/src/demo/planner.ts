/** Decides what the demo model says next. Pure: request in, plan out. */
import type { ModelRequest, ToolSpec } from '@toolwire/core'
import { planScenario } from '../scenario/plan-scenario.ts'
import type { Scenario } from '../scenario/schema.ts'
import { describeCall, describeIntent } from './answer/describe-outcome.ts'
import { type PlannedCall, type Pursuit, pursueAll } from './answer/pursue-intent.ts'
import { SHOWCASES } from './answer/showcases.ts'
import { fillSchema } from './input/fill-schema.ts'
import { toInputText } from './input/input-text.ts'
import { withJsonAnswer } from './input/json-answer.ts'
import { detectLanguage, type Language } from './phrases/language.ts'
import type { Phrases } from './phrases/phrase-book.ts'
import { phrasesFor } from './phrases/phrases.ts'
import { type Plan, type PlannedBlock, sayPlan } from './plan/plan.ts'
import { samplePieces } from './plan/sample-pieces.ts'
import { findTask, requestText } from './tasks/find-task.ts'
import { type History, readHistory } from './tasks/history.ts'
import { runTask } from './tasks/task.ts'
import { type DemoConversation, readConversation } from './understand/conversation.ts'
import type { Intent } from './understand/intent.ts'
import { matchTool } from './understand/match-tool.ts'
import { recognise } from './understand/recognise.ts'
import { activeScenario, readSlashCommand } from './understand/slash-command.ts'

/** Tool rounds after one user message; then the model answers with what it has. */
const MOST_ROUNDS = 6

/** Earlier user messages that decide about the language. */
const RECENT = 50

/** Asked for only while one is played. */
export type Scenarios = () => ReadonlyMap<string, Scenario>

/** The next message. */
export function planTurn(request: ModelRequest, scenarios: Scenarios): Plan {
  const history = readHistory(request)
  const latest = readConversation(request)
  const conversation = { ...latest, text: requestText(latest.text, history) }
  const command = readSlashCommand(conversation.text)
  // A bare command has no language: the reply uses the language of the conversation.
  const spoken = command ? `${command.argument} ${conversation.earlier.at(-1) ?? ''}` : conversation.text
  const language = detectLanguage(command ? spoken : latest.text, conversation.earlier.slice(-RECENT))
  const phrases = phrasesFor(language)
  const playing = activeScenario(request)
  if (playing && (command === undefined || command.name === 'scenario')) {
    const known = scenarios()
    const scenario = known.get(playing.name)
    return scenario
      ? planScenario(scenario, playing.request)
      : sayPlan(phrases.show.unknownScenario(playing.name, [...known.keys()]))
  }
  const spokenPlan = command
    ? planCommand(command, conversation, request, phrases)
    : (planTask(conversation, request, { language, history }) ?? planRequest(conversation, request, phrases))
  const plan = withJsonAnswer(spokenPlan, request, conversation.text)
  return wantsThinking(request) && command === undefined ? withThinking(plan, conversation, phrases) : plan
}

/** A request of several steps that the model knows; undefined for other requests, and where calls are forced or forbidden. */
function planTask(
  conversation: DemoConversation,
  request: ModelRequest,
  { language, history }: { readonly language: Language; readonly history: History },
): Plan | undefined {
  const { text, media, calls, rounds } = conversation
  if ((request.tool_choice?.type ?? 'auto') !== 'auto' || rounds >= MOST_ROUNDS) return undefined
  const context = { text, language, tools: request.tools, history, media }
  const run = findTask(context)
  if (!run) return undefined
  const result = runTask(run, context, calls)
  if (result.type === 'answer') return answerPlan(result.text)
  const now = request.parallel_tool_calls === false ? result.calls.slice(0, 1) : result.calls
  return toolPlan(result.say, now)
}

function planCommand(
  command: { readonly name: string; readonly argument: string },
  conversation: DemoConversation,
  request: ModelRequest,
  phrases: Phrases,
): Plan {
  if (conversation.calls.length > 0)
    return sayPlan(conversation.calls.map(call => describeCall(call, phrases)).join('\n\n'))
  if (command.name === 'scenario' && command.argument === 'off') return sayPlan(phrases.show.scenarioOff)
  const show = Object.hasOwn(SHOWCASES, command.name) ? SHOWCASES[command.name] : undefined
  const context = { argument: command.argument, request, phrases }
  if (show) return show.plan(context)
  const help = SHOWCASES['help']?.plan(context) ?? sayPlan('')
  return {
    ...help,
    blocks: [{ type: 'text', text: phrases.show.unknownCommand(`/${command.name}`) }, ...help.blocks],
  }
}

function planRequest(conversation: DemoConversation, request: ModelRequest, phrases: Phrases): Plan {
  const { text, calls, rounds } = conversation
  const reported = reportedResult(text, phrases)
  if (reported !== undefined) return sayPlan(reported)
  const choice = request.tool_choice ?? { type: 'auto' }
  const tools =
    choice.type === 'tool' ? request.tools.filter(tool => tool.name === choice.name) : request.tools
  const staged = recognise(text, tools)
  const { pursuits, rest } = pursueAll(
    staged.map(item => item.intent),
    calls,
    tools,
  )
  const open = firstOpenStage(staged, pursuits)
  if (open.length > 0 && choice.type === 'none') return planUnmade(open, phrases)
  if (open.length > 0 && rounds < MOST_ROUNDS) {
    const now = request.parallel_tool_calls === false ? open.slice(0, 1) : open
    return callPlan(now, rounds, phrases)
  }
  const isForced = calls.length === 0 && (choice.type === 'any' || choice.type === 'tool')
  const forced = isForced ? forcedCall(text, tools) : undefined
  if (forced) return toolPlan(phrases.forcedIntro(forced.name), [forced])
  const said = [
    ...(open.length > 0 ? [phrases.tooManyRounds(rounds)] : []),
    ...staged.flatMap((item, at) => describePursuit(item.intent, pursuits[at], phrases)),
    ...rest.map(call => describeCall(call, phrases)),
  ]
  return said.length > 0 ? answerPlan(said.join('\n\n')) : sayPlan(smallTalk(text, phrases))
}

interface OpenIntent {
  readonly intent: Intent
  readonly call: PlannedCall
}

/** Calls that may be made now: the open intents of the earliest unfinished stage. */
function firstOpenStage(
  staged: readonly { readonly intent: Intent; readonly stage: number }[],
  pursuits: readonly Pursuit[],
): readonly OpenIntent[] {
  const open = staged.flatMap((item, at) => {
    const call = pursuits[at]?.next
    return call ? [{ intent: item.intent, call, stage: item.stage }] : []
  })
  return open.filter(item => item.stage === open[0]?.stage)
}

function describePursuit(intent: Intent, pursuit: Pursuit | undefined, phrases: Phrases): readonly string[] {
  if (!pursuit || pursuit.isImpossible) return [phrases.noTool(intent)]
  return pursuit.done.length === 0 ? [] : [describeIntent(intent, pursuit.done, phrases)]
}

function callPlan(open: readonly OpenIntent[], rounds: number, phrases: Phrases): Plan {
  return toolPlan(
    introTo(open, rounds, phrases),
    open.map(item => item.call),
  )
}

function introTo(open: readonly OpenIntent[], rounds: number, phrases: Phrases): string {
  const [first, ...others] = open
  if (first?.call.because !== undefined) return phrases.amended(first.call.because)
  if (rounds > 0 || !first) return phrases.nextStep
  return others.length > 0 ? phrases.severalIntro(open.length) : phrases.intro(first.intent)
}

function toolPlan(intro: string, calls: readonly PlannedCall[]): Plan {
  const blocks = calls.map((call): PlannedBlock => {
    const input_text = toInputText(call.input)
    return { type: 'tool_use', name: call.name, input_text, ...samplePieces(input_text) }
  })
  return {
    blocks: [{ type: 'text', text: intro, ...samplePieces(intro) }, ...blocks],
    stop_reason: 'tool_use',
  }
}

const answerPlan = (text: string): Plan => ({
  blocks: [{ type: 'text', text, ...samplePieces(text) }],
  stop_reason: 'end_turn',
})

function planUnmade(open: readonly OpenIntent[], phrases: Phrases): Plan {
  return sayPlan(`${phrases.mayNotCall}\n${open.map(item => `- ${phrases.intro(item.intent)}`).join('\n')}`)
}

function forcedCall(text: string, tools: readonly ToolSpec[]): PlannedCall | undefined {
  const tool = matchTool(text, tools)?.tool ?? tools[0]
  return tool && { name: tool.name, input: fillSchema(tool.input_schema, text) }
}

const GREETING =
  /^(?:hi|hello|hey|good (?:morning|evening|afternoon)|你好|您好|嗨|哈喽|早上好|晚上好)\b|^(?:你好|您好|嗨|哈喽|早上好|晚上好)/iu

function smallTalk(text: string, phrases: Phrases): string {
  if (text === '' || GREETING.test(text)) return phrases.greeting
  return phrases.fallback([...text.slice(0, 160)].slice(0, 80).join(''))
}

/** Some hosts feed tool results back as user text under a heading; that is an answer to give, not a request. */
function reportedResult(text: string, phrases: Phrases): string | undefined {
  const reported = REPORT.exec(text)?.groups
  return reported && phrases.told(reported['name'] ?? '', (reported['output'] ?? '').trim())
}

const REPORT = /^###\s*(?<name>\S+?)\s*(?:工具的执行结果|工具的執行結果|result)\s*###\s*(?<output>[\s\S]+)$/u

/** True if the request enables thinking, in any provider's format. */
function wantsThinking({ options }: ModelRequest): boolean {
  const { thinking, effort, reasoning_effort, reasoning } = options ?? {}
  const isOn = (value: unknown): boolean =>
    typeof value === 'string' && !['none', 'off', 'disabled', 'minimal'].includes(value)
  if (typeof thinking === 'object' && thinking !== null && 'type' in thinking) return isOn(thinking.type)
  const nested =
    typeof reasoning === 'object' && reasoning !== null && 'effort' in reasoning
      ? reasoning.effort
      : undefined
  return thinking === true || isOn(thinking) || isOn(effort) || isOn(reasoning_effort) || isOn(nested)
}

function withThinking(plan: Plan, conversation: DemoConversation, phrases: Phrases): Plan {
  const calls = plan.blocks.flatMap(block => (block.type === 'tool_use' ? [block.name] : []))
  const thinking = phrases.thinking([...conversation.text].slice(0, 120).join(''), calls)
  return { ...plan, blocks: [{ type: 'thinking', thinking }, ...plan.blocks] }
}
