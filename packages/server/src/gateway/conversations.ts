/**
 * Conversations of the Responses API: a name for the session in which a client continues, with the items that it added
 * since. A request that changes what was said moves the conversation to the new session; its id stays.
 */
import { AppError, type HistoryMessage } from '@toolwire/core'
import {
  createWarnings,
  type LooseItem,
  type OutputItem,
  pairResults,
  type ReceivedMessage,
  readItems,
} from '@toolwire/wire'
import { z } from 'zod'
import { fingerprint } from './chain.ts'
import type { GatewayContext } from './gateway-context.ts'
import { toModelMessages } from './model-messages.ts'
import { toItems, toReceived, withoutInstructions } from './stored-response.ts'

const KIND = 'gateway_conversation'
const PREFIX = 'conv_'
/** Items that no response has answered yet. */
const MAX_ITEMS = 1_000

const StoredConversation = z.object({
  owner: z.string(),
  created_at: z.number(),
  metadata: z.record(z.string(), z.unknown()),
  session: z.string().optional(),
  /** Fingerprint of the instructions of the latest request, which later ones do not inherit. */
  instructions: z.string().optional(),
  items: z.array(z.record(z.string(), z.unknown())),
})
type StoredConversation = z.output<typeof StoredConversation>

export interface Conversation extends Omit<StoredConversation, 'owner'> {
  readonly id: string
}

interface NewConversation {
  readonly items: readonly LooseItem[]
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface Conversations {
  create(start: NewConversation): Promise<Conversation>
  /** Throws `not_found`, also for conversations of others. */
  get(id: string): Promise<Conversation>
  change(id: string, metadata: Readonly<Record<string, unknown>>): Promise<Conversation>
  remove(id: string): Promise<void>
  /** Throws `bad_request` for items that cannot be read. */
  add(id: string, items: readonly LooseItem[]): Promise<Conversation>
  /** Continues in this session, which holds the items that were added before the request. */
  move(conversation: Conversation, session: string, instructions: string | undefined): Promise<void>
  items(conversation: Conversation): Promise<readonly OutputItem[]>
  messages(conversation: Conversation): Promise<readonly ReceivedMessage[]>
}

export function createConversations(context: GatewayContext): Conversations {
  const { gatewayRecords: records, ids, clock } = context
  const owner = (): string => context.principal().owner
  const toConversation = (id: string, { owner: _, ...stored }: StoredConversation): Conversation => ({
    id,
    ...stored,
  })

  async function get(id: string): Promise<Conversation> {
    const found = StoredConversation.safeParse(await records.get(KIND, id))
    const isShared = context.principal().token?.sessions === undefined
    if (!found.success || found.data.owner !== owner() || !isShared) throw missing(id)
    return toConversation(id, found.data)
  }
  async function update(
    id: string,
    change: (stored: StoredConversation) => StoredConversation,
  ): Promise<Conversation> {
    await get(id)
    const stored = await records.update(KIND, id, value => {
      const found = StoredConversation.safeParse(value)
      return found.success ? change(found.data) : value
    })
    const found = StoredConversation.safeParse(stored)
    if (!found.success) throw missing(id)
    return toConversation(id, found.data)
  }
  async function history({ session }: Conversation): Promise<readonly HistoryMessage[]> {
    if (session === undefined || !(await context.index.row(session))) return []
    return (await context.sessions.state(session)).messages
  }
  const toInstruction =
    ({ instructions }: Conversation) =>
    (text: string): boolean =>
      fingerprint(text) === instructions

  return {
    get,
    async create({ items, metadata }) {
      checkItems(items)
      const id = `${PREFIX}${ids.uuid()}`
      const created_at = Math.floor(clock.now().getTime() / 1000)
      const stored = { owner: owner(), created_at, metadata, items: [...items] }
      await records.put(KIND, id, stored)
      return toConversation(id, stored)
    },
    change: (id, metadata) => update(id, stored => ({ ...stored, metadata })),
    async remove(id) {
      await get(id)
      await records.remove(KIND, id)
    },
    async add(id, items) {
      checkItems(items)
      return await update(id, stored => {
        if (stored.items.length + items.length > MAX_ITEMS)
          throw new AppError('bad_request', `items: at most ${MAX_ITEMS} items before a response`)
        return { ...stored, items: [...stored.items, ...items] }
      })
    },
    async move({ id, items: taken }, session, instructions) {
      const sent = instructions === undefined ? undefined : fingerprint(instructions)
      await update(id, stored => ({
        ...stored,
        session,
        instructions: sent,
        items: stored.items.slice(taken.length),
      }))
    },
    async items(conversation) {
      const messages = [...(await history(conversation)), ...toMessages(conversation.items)]
      const session = conversation.session ?? conversation.id
      return toItems(messages, { session, isInstruction: toInstruction(conversation) })
    },
    async messages(conversation) {
      const before = withoutInstructions(await history(conversation), toInstruction(conversation))
      return [...before.flatMap(toReceived), ...readAll(conversation.items)]
    },
  }
}

const missing = (id: string): AppError =>
  new AppError('not_found', `Conversation with id ${JSON.stringify(id.slice(0, 200))} not found.`)

const readAll = (items: readonly LooseItem[]): readonly ReceivedMessage[] =>
  readItems(items, { warnings: createWarnings(false), names: (_, name) => name }).messages

function checkItems(items: readonly LooseItem[]): void {
  if (items.length > MAX_ITEMS) throw new AppError('bad_request', `items: at most ${MAX_ITEMS} items`)
  readAll(items)
}

/** The added items as the messages that they become. */
const toMessages = (items: readonly LooseItem[]): readonly HistoryMessage[] =>
  toModelMessages(pairResults(readAll(items), createWarnings(false)))
