/** A server that answers: connected, asked what it is, and listed. */
import {
  type Client,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequestParams,
  type ElicitResult,
  ProtocolError,
  ProtocolErrorCode,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { type ConnectOptions, connectClient } from './connect-client.ts'
import { type Elicitation, parseElicitation } from './elicitation.ts'
import { listTools, type ToolList } from './list-tools.ts'
import type { Reply } from './live-call.ts'
import type { SignIn } from './oauth/sign-in.ts'
import { createQuestionRouter, type QuestionRouter } from './question-router.ts'
import { parseSampling } from './sampling.ts'
import type { QuestionHandler } from './send-call.ts'
import { toRootUri } from './source.ts'

export interface OpenServer {
  readonly client: Client
  /** Whose questions the server asks. */
  readonly askers: QuestionRouter<QuestionHandler>
  readonly list: ToolList
  readonly offers: { readonly resources: boolean; readonly prompts: boolean }
  /** Requests in flight. */
  readonly calls: Set<Promise<unknown>>
}

export interface OpenOptions
  extends Pick<ConnectOptions, 'config' | 'legacy' | 'started' | 'signal' | 'onErrorOutput'> {
  readonly name: string
  readonly signIn: SignIn | undefined
  readonly roots: readonly string[]
  readonly onChanged: (client: Client, list: 'tools' | 'prompts' | 'resources') => void
}

/** The server needs a sign-in. */
export class SignInNeededError extends Error {
  override readonly name = 'SignInNeededError'
  constructor(server: string) {
    super(`A user has to sign in at the MCP server ${server}; its status has the address to open.`)
  }
}

/** Throws what connecting or listing throws, or `SignInNeededError`; then nothing is left open. */
export async function openServer(options: OpenOptions): Promise<OpenServer> {
  const { name, signIn, roots, config, legacy, started, signal, onErrorOutput } = options
  if (signIn?.url()) throw new SignInNeededError(name)
  const askers = createQuestionRouter<QuestionHandler>()
  const client = await connectClient({
    config,
    legacy,
    auth: signIn?.provider,
    started,
    signal,
    requests: {
      elicit: (params, stop) => elicit(params, stop, askers),
      roots:
        config.roots === false ? undefined : () => askers.peek()?.roots.slice(0, 1).map(toRootUri) ?? roots,
      sample: config.sampling ? (params, stop) => sample(params, stop, askers) : undefined,
    },
    onChanged: what => options.onChanged(client, what),
    onErrorOutput,
  }).catch((error: unknown) => {
    throw toSignInNeeded(error, options)
  })
  try {
    const list = await listTools(client)
    const { resources, prompts } = client.getServerCapabilities() ?? {}
    const offers = { resources: resources !== undefined, prompts: prompts !== undefined }
    return { client, askers, list, offers, calls: new Set() }
  } catch (error) {
    await client.close().catch(() => undefined)
    throw toSignInNeeded(error, options)
  }
}

/** The sign-in that the server asked for; any other error is returned unchanged. */
export function toSignInNeeded(
  error: unknown,
  { name, signIn }: { readonly name: string; readonly signIn?: SignIn | undefined },
): unknown {
  return UnauthorizedError.isInstance(error) && signIn?.url() ? new SignInNeededError(name) : error
}

/** A question over the connection itself. It is refused when no call can have asked it. */
async function elicit(
  params: ElicitRequestParams,
  signal: AbortSignal,
  askers: QuestionRouter<QuestionHandler>,
): Promise<ElicitResult> {
  return (await ask(parseElicitation(params), signal, askers)) as ElicitResult
}

async function sample(
  params: CreateMessageRequest['params'],
  signal: AbortSignal,
  askers: QuestionRouter<QuestionHandler>,
): Promise<CreateMessageResult> {
  return (await ask(parseSampling(params), signal, askers)) as CreateMessageResult
}

async function ask(
  asked: Elicitation | undefined,
  signal: AbortSignal,
  askers: QuestionRouter<QuestionHandler>,
): Promise<Reply> {
  if (!asked) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This question cannot be shown.')
  const found = await askers.find(signal)
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'No call is known that asks this.')
  try {
    return await found.answer.ask(asked, signal)
  } finally {
    found.done()
  }
}
