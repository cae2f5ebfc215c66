/** `toolwire run "…"`: one message, its response, and an exit code; for scripts. */
import { text as readAll } from 'node:stream/consumers'
import { createTranslate, isFinal, type SessionView, type TurnView } from '@toolwire/core/view'
import type { Command } from 'commander'
import { connect, openSession, type ServerFlags, toExitError } from '../chat/connect.ts'
import { callLine } from '../chat/draw-call.ts'
import { createStyle, hasColor } from '../chat/style.ts'
import { EXIT, ExitError } from '../exit.ts'
import { print, printError, printStyledError, toJson } from '../terminal.ts'
import { addServerOptions } from './chat.ts'

type RunFlags = ServerFlags & { readonly json?: boolean }

export function addRunCommand(program: Command): void {
  addServerOptions(program.command('run').description('send one message and print the response'))
    .argument('[message]', 'the message; read from standard input when absent')
    .option('--json', 'print one JSON object when the run has ended')
    .action(async (message: string | undefined, flags: RunFlags) => {
      process.exitCode = await run(message ?? (await fromInput()), flags)
    })
}

async function fromInput(): Promise<string> {
  if (process.stdin.isTTY)
    throw new ExitError('usage', 'Give the message as an argument or on standard input.')
  return (await readAll(process.stdin)).trim()
}

async function run(message: string, flags: RunFlags): Promise<number> {
  if (message.trim() === '') throw new ExitError('usage', 'The message is empty.')
  const server = await connect(flags, process.env)
  try {
    const id = await openSession(server, flags)
    const session = server.client.session(id)
    await session.until(({ connection }) => connection.state === 'live')
    const before = session.getSnapshot().view.turns.length
    const writer = flags.json ? undefined : new PlainWriter(before)
    const leave = session.subscribe(() => writer?.write(session.getSnapshot().view))
    const stop = () => void server.client.sessions.cancel(id).catch(() => {})
    process.once('SIGINT', stop)
    await session.send(message)
    const { view } = await session.until(snapshot => {
      const turn = snapshot.view.turns[before]
      return turn !== undefined && turn.state !== 'running'
    })
    process.off('SIGINT', stop)
    leave()
    writer?.write(view)
    const turn = view.turns[before]
    if (!turn) throw new ExitError('failed', 'The server did not start a run.')
    if (flags.json) print(`${toJson(toReport(view, turn, id))}\n`)
    else writer?.end()
    return report(turn, { id, url: server.url })
  } catch (error) {
    throw toExitError(error, server.url)
  } finally {
    server.client.close()
  }
}

/** Text to standard output as it arrives, calls to standard error when they end. */
class PlainWriter {
  readonly #turn: number
  readonly #written = new Map<string, number>()
  readonly #style = createStyle(hasColor(process.stderr.isTTY, process.env))
  readonly #t = createTranslate()
  #last = '\n'

  constructor(turn: number) {
    this.#turn = turn
  }

  write(view: SessionView): void {
    for (const id of view.turns[this.#turn]?.messages ?? [])
      for (const blockId of view.messages.get(id)?.blocks ?? []) {
        const block = view.blocks.get(blockId)
        const call = view.calls.get(block?.call ?? '')
        if (call && isFinal(call.state) && !this.#written.has(blockId)) {
          this.#written.set(blockId, 0)
          const options = {
            t: this.#t,
            style: this.#style,
            width: process.stderr.columns ?? 100,
            now: Date.now(),
          }
          printStyledError(`${callLine(call, options)}\n`)
        }
        if (block?.kind === 'text') this.#text(blockId, block.text)
      }
  }

  #text(id: string, text: string): void {
    const from = this.#written.get(id)
    if (from === undefined && text !== '' && this.#last !== '\n') this.#print('\n')
    this.#print(text.slice(from ?? 0))
    this.#written.set(id, text.length)
  }

  #print(text: string): void {
    if (text === '') return
    print(text)
    this.#last = text.at(-1) ?? ''
  }

  end(): void {
    if (this.#last !== '\n') print('\n')
  }
}

function toReport(view: SessionView, turn: TurnView, id: string): unknown {
  const blocks = turn.messages
    .flatMap(one => view.messages.get(one)?.blocks ?? [])
    .flatMap(one => view.blocks.get(one) ?? [])
  const calls = blocks.flatMap(block => view.calls.get(block.call ?? '') ?? [])
  return {
    session_id: id,
    status: turn.state,
    text: blocks
      .filter(block => block.kind === 'text')
      .map(block => block.text)
      .join('\n\n'),
    calls: calls.map(call => ({
      call_id: call.call_id,
      name: call.name,
      state: call.state,
      input: call.input ?? call.input_text,
    })),
    pending: view.pending.map(({ kind, id: item, name }) => ({ kind, id: item, name })),
    usage: turn.stats.usage,
    cost_usd: turn.stats.cost_usd ?? null,
    ...(turn.error ? { error: turn.error } : {}),
  }
}

function report(turn: TurnView, { id, url }: { readonly id: string; readonly url: string }): number {
  if (turn.state === 'completed') return 0
  const resume = `toolwire chat --url ${url} --session ${id}`
  if (turn.state === 'paused') printError(`toolwire: the run waits for a decision. Resume with: ${resume}\n`)
  if (turn.state === 'failed')
    printError(`toolwire: the run failed: ${turn.error?.message ?? 'unknown error'}\n`)
  if (turn.state === 'cancelled') printError('toolwire: the run was stopped.\n')
  return turn.state === 'paused' ? EXIT.paused : turn.state === 'cancelled' ? EXIT.interrupted : EXIT.failed
}
