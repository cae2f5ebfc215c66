/** Architect: a plan for a change, made by an agent that can read and nothing else. */
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { READING_TOOLS } from '../agents/agent-type.ts'
import { reportAgent } from '../agents/report-agent.ts'
import { defineTool } from '../define-tool.ts'

export interface ArchitectOptions {
  readonly max_turns?: number
}

const MAX_TURNS = 30

const SYSTEM = [
  'You are a software architect. You work out how a change should be made; another agent makes it.',
  'Look at the code that is there before you decide. You can read files and nothing more.',
  'Answer with a plan: the parts to touch, the steps in order, each small enough to be done and checked alone, and the risks.',
  'Write no code unless a line of it says more than a sentence. Do not ask questions; name your assumptions.',
].join('\n')

const input = z.strictObject({
  prompt: z.string().min(1).describe('The request or problem to plan for'),
  context: z.string().optional().describe('Anything else the architect should know'),
})
type ArchitectInput = z.output<typeof input>

/** Not offered unless it is configured. */
export function createArchitectTool(options: ArchitectOptions = {}): Tool<ArchitectInput> {
  const max_turns = options.max_turns ?? MAX_TURNS
  return defineTool({
    name: 'Architect',
    type: 'builtin',
    description: 'Works out a technical plan for a change after reading the code. It changes nothing.',
    input,
    limits: [
      { name: 'tools', value: READING_TOOLS.join(', ') },
      { name: 'turns', value: `${max_turns} by default` },
    ],
    isEnabled: ({ depth = 0 }) => depth === 0,
    isReadOnly: () => true,
    access: async () => [],
    eager: false,
    call: (given, context) => plan(given, context, max_turns),
    view: ({ prompt }) => ({ title: 'Architect', kind: 'agent', body: { prompt } }),
  })
}

async function* plan(
  { prompt, context }: ArchitectInput,
  { runAgent }: ToolContext,
  max_turns: number,
): AsyncIterable<ToolStep> {
  if (!runAgent) {
    yield { type: 'failure', message: 'Agents cannot be started here.' }
    return
  }
  const end = await runAgent({
    name: 'architect',
    type: 'architect',
    prompt: context === undefined ? prompt : `<context>\n${context}\n</context>\n\n${prompt}`,
    system: SYSTEM,
    tools: READING_TOOLS,
    client_tools: false,
    max_turns,
  })
  if (end.type === 'finished' && end.text === '')
    yield {
      type: 'failure',
      code: 'no_plan',
      message: `The architect ended without a plan; it stopped with: ${end.stop_reason}.`,
    }
  else yield reportAgent(end, 'The architect')
}
