/** Fixtures of the conformance suite that no tool of a session is: prompts, resources, and tools that ask for input. */
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server'
import type { RequestScope, ServerExtension } from '@toolwire/mcp/serve'
import { PNG } from './conformance-tools.ts'

type Result = CallToolResult | InputRequiredResult
type Form = ElicitRequestFormParams['requestedSchema']

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })
const textForm = (name: string): Form => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
})
const ask = (message: string, requestedSchema: Form): InputRequest =>
  inputRequired.elicit({ message, requestedSchema })
const write = (question: string): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  })

/** The content of an accepted form. */
function contentOf({ ctx }: RequestScope, key: string): Readonly<Record<string, unknown>> | undefined {
  const response = inputResponse(ctx.mcpReq.inputResponses, key)
  return response.kind === 'elicit' && response.action === 'accept' ? response.content : undefined
}

const isAnswered = ({ ctx }: RequestScope, key: string): boolean =>
  inputResponse(ctx.mcpReq.inputResponses, key).kind !== 'missing'

const mint = (scope: RequestScope, round: string): Promise<string> =>
  scope.codec.mint({ call: 'fixture', items: [round] }, scope.ctx)

const roundOf = ({ ctx }: RequestScope): string | undefined =>
  ctx.mcpReq.requestState<{ readonly items: readonly string[] }>()?.items[0]

async function elicit({ ctx }: RequestScope, requestedSchema: Form): Promise<Result> {
  const { action, content } = await ctx.mcpReq.elicitInput(
    { message: 'Please answer', requestedSchema },
    { relatedRequestId: ctx.mcpReq.id },
  )
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
}

const named = (value: string, index: number, what: string) => ({
  const: value,
  title: `${what} ${index + 1}`,
})
const VALUES = ['value1', 'value2', 'value3']

const TOOLS: Readonly<
  Record<string, (scope: RequestScope, params: CallToolRequest['params']) => Promise<Result>>
> = {
  test_embedded_resource: async () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: async () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  async test_tool_with_logging({ ctx }) {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await ctx.mcpReq.log('info', line)
    return text('logged')
  },
  async test_logging_tool({ ctx }) {
    await ctx.mcpReq.log('info', 'a line')
    return text('logged')
  },
  async test_sampling({ ctx }, { arguments: input }) {
    const { content } = await ctx.mcpReq.requestSampling(
      {
        messages: [{ role: 'user', content: { type: 'text', text: String(input?.['prompt']) } }],
        maxTokens: 100,
      },
      { relatedRequestId: ctx.mcpReq.id },
    )
    return text(`LLM response: ${JSON.stringify(content)}`)
  },
  test_elicitation: scope =>
    elicit(scope, {
      type: 'object',
      properties: { username: { type: 'string' }, email: { type: 'string' } },
      required: ['username', 'email'],
    }),
  test_elicitation_sep1034_defaults: scope =>
    elicit(scope, {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
    }),
  test_elicitation_sep1330_enums: scope =>
    elicit(scope, {
      type: 'object',
      properties: {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: VALUES.map((one, i) => named(one, i, 'Option')) },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: VALUES.map((one, i) => named(one, i, 'Choice')) } },
      },
    }),
  async test_missing_capability({ ctx }) {
    const declared = Object(ctx.mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY] as
      | ClientCapabilities
      | undefined
    if (declared?.sampling) return text('declared')
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  async test_streaming_elicitation() {
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', textForm('name')) } })
  },
  async test_input_required_result_elicitation(scope) {
    const name = contentOf(scope, 'user_name')?.['name']
    if (typeof name === 'string') return text(`Hello, ${name}!`)
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', textForm('name')) } })
  },
  async test_input_required_result_sampling(scope) {
    const response = inputResponse(scope.ctx.mcpReq.inputResponses, 'capital_question')
    if (response.kind === 'sampling') return text(JSON.stringify(response.result.content))
    return inputRequired({ inputRequests: { capital_question: write('What is the capital of France?') } })
  },
  async test_input_required_result_list_roots(scope) {
    const response = inputResponse(scope.ctx.mcpReq.inputResponses, 'client_roots')
    if (response.kind === 'roots') return text(response.roots.map(root => root.uri).join(' '))
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  },
  async test_input_required_result_request_state(scope) {
    if (contentOf(scope, 'confirm') && roundOf(scope) === 'confirm') return text('state-ok')
    const form: Form = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
    return inputRequired({
      inputRequests: { confirm: ask('Please confirm', form) },
      requestState: await mint(scope, 'confirm'),
    })
  },
  async test_input_required_result_multiple_inputs(scope) {
    const keys = ['user_name', 'greeting', 'client_roots']
    if (keys.every(key => isAnswered(scope, key))) return text('all answered')
    return inputRequired({
      inputRequests: {
        user_name: ask('What is your name?', textForm('name')),
        greeting: write('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await mint(scope, 'all'),
    })
  },
  async test_input_required_result_multi_round(scope) {
    const round = roundOf(scope)
    if (round === 'second' && contentOf(scope, 'step2')) return text('both rounds are answered')
    const isFirstAnswered = round === 'first' && contentOf(scope, 'step1')
    return isFirstAnswered
      ? inputRequired({
          inputRequests: { step2: ask('Step 2: What is your favorite color?', textForm('color')) },
          requestState: await mint(scope, 'second'),
        })
      : inputRequired({
          inputRequests: { step1: ask('Step 1: What is your name?', textForm('name')) },
          requestState: await mint(scope, 'first'),
        })
  },
  async test_input_required_result_tampered_state(scope) {
    if (roundOf(scope) === 'signed') return text('state-ok')
    return inputRequired({
      inputRequests: { confirm: ask('Please confirm', textForm('ok')) },
      requestState: await mint(scope, 'signed'),
    })
  },
  async test_input_required_result_capabilities({ ctx }) {
    const declared = Object(ctx.mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY] as
      | ClientCapabilities
      | undefined
    return inputRequired({
      inputRequests: {
        ...(declared?.elicitation ? { name: ask('What is your name?', textForm('name')) } : {}),
        ...(declared?.sampling ? { greeting: write('Generate a greeting') } : {}),
      },
    })
  },
}

const user = (value: string) => ({ role: 'user' as const, content: { type: 'text' as const, text: value } })
const PROMPTS = [
  { name: 'test_simple_prompt' },
  {
    name: 'test_prompt_with_arguments',
    arguments: ['arg1', 'arg2'].map(name => ({ name, description: name, required: true })),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    arguments: [{ name: 'resourceUri', description: 'The resource', required: true }],
  },
  { name: 'test_prompt_with_image' },
  { name: 'test_input_required_result_prompt' },
].map(prompt => ({ description: prompt.name, ...prompt }))

function preparePrompts(server: Server): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }))
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: input = {} } }, ctx) => {
    switch (name) {
      case 'test_simple_prompt':
        return { messages: [user('This is a simple prompt for testing.')] }
      case 'test_prompt_with_arguments':
        return { messages: [user(`Prompt with arguments: arg1='${input['arg1']}', arg2='${input['arg2']}'`)] }
      case 'test_prompt_with_embedded_resource': {
        const resource = {
          uri: String(input['resourceUri']),
          mimeType: 'text/plain',
          text: 'Embedded resource content for testing.',
        }
        return {
          messages: [
            { role: 'user' as const, content: { type: 'resource' as const, resource } },
            user('Please process the embedded resource above.'),
          ],
        }
      }
      case 'test_prompt_with_image':
        return {
          messages: [
            { role: 'user' as const, content: { type: 'image' as const, data: PNG, mimeType: 'image/png' } },
            user('Please analyze the image above.'),
          ],
        }
      case 'test_input_required_result_prompt': {
        const response = inputResponse(ctx.mcpReq.inputResponses, 'user_context')
        if (response.kind === 'elicit')
          return { messages: [user(`Context: ${JSON.stringify(response.content)}`)] }
        const form = textForm('context')
        return inputRequired({
          inputRequests: { user_context: ask('What context should the prompt use?', form) },
        })
      }
      default:
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`)
    }
  })
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park'] } }))
}

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/

function readResource(uri: string) {
  if (uri === 'test://static-text')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG }
  if (uri === 'test://watched-resource') return { uri, mimeType: 'text/plain', text: 'watched' }
  const id = TEMPLATE.exec(uri)?.[1]
  if (id === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) }
}

function prepareResources(server: Server): void {
  const resources = ['static-text', 'static-binary', 'watched-resource'].map(name => ({
    uri: `test://${name}`,
    name,
    description: name,
    mimeType: name === 'static-binary' ? 'image/png' : 'text/plain',
  }))
  server.setRequestHandler('resources/list', () => ({ resources }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
  }))
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [readResource(params.uri)] }))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
}

export const conformanceExtension: ServerExtension = {
  capabilities: { logging: {}, completions: {}, resources: { subscribe: true } },
  tools: Object.keys(TOOLS),
  async callTool(scope, params) {
    const tool = TOOLS[params.name]
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown tool')
    return await tool(scope, params)
  },
  prepare(server) {
    preparePrompts(server)
    prepareResources(server)
  },
}
