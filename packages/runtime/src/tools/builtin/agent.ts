/** Agent: another agent does a task on its own and reports. It works in the same session's log. */
import type { Tool, ToolContext, ToolStep } from '@toolwire/core'
import { z } from 'zod'
import { AGENT_TYPES, type AgentTypes, DEFAULT_TYPE } from '../agents/agent-type.ts'
import { reportAgent } from '../agents/report-agent.ts'
import { defineTool } from '../define-tool.ts'

export interface AgentOptions {
  /** Replace or extend the kinds of agents; `general-purpose` is what an unnamed kind means. */
  readonly types?: AgentTypes
  /** How deep agents may start agents: 1 means that only the root agent may. */
  readonly max_depth?: number
  readonly max_turns?: number
}

const MAX_DEPTH = 1
const MAX_TURNS = 50

const input = z.strictObject({
  description: z.string().max(200).optional().describe('The task in three to five words'),
  prompt: z.string().min(1).describe('The whole task: the agent knows nothing else'),
  subagent_type: z.string().optional().describe('The kind of agent'),
  model: z.string().optional().describe("The agent's model; yours when absent"),
  name: z.string().max(100).optional().describe('A name to show for it'),
  // Accepted because models send them; they change nothing here.
  effort: z.string().optional().describe('Ignored'),
  run_in_background: z.boolean().optional().describe('Ignored: the call waits for the report'),
  team_name: z.string().optional().describe('Ignored'),
  mode: z.string().optional().describe('Ignored: the permissions of the session apply'),
  isolation: z.string().optional().describe('Not available'),
})
type Input = z.output<typeof input>

export function createAgentTool(options: AgentOptions = {}): Tool<Input> {
  const types: AgentTypes = { ...AGENT_TYPES, ...options.types }
  const max_depth = options.max_depth ?? MAX_DEPTH
  const max_turns = options.max_turns ?? MAX_TURNS
  return defineTool({
    name: 'Agent',
    type: 'builtin',
    description: describe(types),
    input,
    limits: [
      { name: 'depth', value: `${max_depth} by default` },
      { name: 'turns', value: `${max_turns} by default` },
    ],
    isEnabled: ({ depth = 0 }) => depth < max_depth,
    // It changes nothing by itself: what its agent wants to do is judged call by call. And it can always go on.
    isReadOnly: () => true,
    access: async () => [],
    eager: false,
    async validate({ subagent_type, isolation }) {
      if (isolation !== undefined) return 'isolation is not available here; leave it out.'
      if (subagent_type === undefined || Object.hasOwn(types, subagent_type)) return undefined
      return `There is no agent of the type ${JSON.stringify(subagent_type)}. Known types: ${Object.keys(types).join(', ')}.`
    },
    call: (given, context) => run(given, context, types, max_turns),
    view: ({ description, prompt, subagent_type, name }) => ({
      title: name ?? description ?? subagent_type ?? 'Agent',
      kind: 'agent',
      body: { prompt, subagent_type: subagent_type ?? DEFAULT_TYPE },
    }),
  })
}

async function* run(
  { prompt, subagent_type = DEFAULT_TYPE, model, name }: Input,
  { runAgent }: ToolContext,
  types: AgentTypes,
  max_turns: number,
): AsyncIterable<ToolStep> {
  const type = types[subagent_type]
  if (!runAgent || !type) {
    yield { type: 'failure', message: 'Agents cannot be started here.' }
    return
  }
  const chosen = model ?? type.model
  const end = await runAgent({
    name: name ?? subagent_type,
    prompt,
    system: type.system,
    ...(chosen === undefined ? {} : { model: chosen }),
    ...(type.tools === undefined ? {} : { tools: type.tools }),
    // A list of tools is the whole of what the agent may use.
    client_tools: type.tools === undefined,
    max_turns: type.max_turns ?? max_turns,
  })
  yield reportAgent(end, 'The agent')
}

const describe = (types: AgentTypes): string =>
  [
    'Starts another agent for a task that stands alone and returns its report. Calls in one message run at the same time. Types:',
    ...Object.entries(types).map(([name, type]) => `- ${name}: ${type.description}`),
  ].join('\n')
