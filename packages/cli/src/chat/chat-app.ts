/** `toolwire chat` on a terminal: the conversation, what waits, and the line to write in. */
import { emitKeypressEvents } from 'node:readline'
import type { LiveSession } from '@toolwire/client'
import { countByName, markControls, markLine } from '@toolwire/core/parts'
import { formatCost, type SessionView, type Translate } from '@toolwire/core/view'
import { print, printStyled } from '../terminal.ts'
import { ApprovalPrompt, type Decision } from './approval-prompt.ts'
import { findCommand } from './chat-commands.ts'
import { openSession, type Server, toExitError } from './connect.ts'
import type { DrawOptions } from './draw-call.ts'
import { EMPTY_LINE, editLine, insert, type KeyPress, type Line, lineOf } from './line-editor.ts'
import { QuestionPrompt } from './question-prompt.ts'
import type { Screen } from './screen.ts'
import type { Style } from './style.ts'
import { Transcript } from './transcript.ts'
import { fitText, textWidth, wrapText } from './width.ts'

export interface ChatOptions {
  readonly server: Server
  readonly session: string
  readonly screen: Screen
  readonly input: NodeJS.ReadStream
  readonly style: Style
  readonly t: Translate
}

/** Earlier turns that are shown when a session is opened again. */
const EARLIER_TURNS = 5
/** A second key within this time confirms the first. */
const TWICE_MS = 2000
const TICK_MS = 500

class ChatApp {
  readonly #options: ChatOptions
  readonly #approvals = new ApprovalPrompt()
  readonly #questions = new QuestionPrompt()
  readonly #history: string[] = []
  #recalled = 0
  #session: LiveSession
  #transcript = new Transcript()
  #leave: (() => void) | undefined
  #line: Line = EMPTY_LINE
  #isPasting = false
  #lastInterrupt = Number.NEGATIVE_INFINITY
  #end: (() => void) | undefined

  constructor(options: ChatOptions) {
    this.#options = options
    this.#session = options.server.client.session(options.session)
  }

  /** Resolves when the person leaves. */
  async run(): Promise<void> {
    const { input, screen } = this.#options
    emitKeypressEvents(input)
    input.setRawMode(true)
    printStyled('\u001b[?2004h')
    const onKey = (text: string | undefined, key: KeyPress) => this.#press(text, key)
    const onResize = () => this.#draw()
    input.on('keypress', onKey)
    process.stdout.on('resize', onResize)
    const tick = setInterval(() => this.#draw(), TICK_MS)
    try {
      await this.#open(this.#session.id)
      await new Promise<void>(resolve => {
        this.#end = resolve
      })
    } finally {
      clearInterval(tick)
      this.#leave?.()
      input.off('keypress', onKey)
      process.stdout.off('resize', onResize)
      screen.end()
      printStyled('\u001b[?2004l')
      input.setRawMode(false)
      input.pause()
    }
    this.#farewell()
  }

  #farewell(): void {
    const { server, session } = { server: this.#options.server, session: this.#session }
    const { phase } = session.getSnapshot().view
    const state = phase === 'idle' ? '' : 'The run continues on the server. '
    print(`${state}Resume with: toolwire chat --url ${server.url} --session ${session.id}\n`)
  }

  async #open(id: string): Promise<void> {
    const { server, screen, style } = this.#options
    this.#leave?.()
    this.#session = server.client.session(id)
    this.#transcript = new Transcript()
    const { view } = await this.#session.until(({ connection }) => connection.state === 'live')
    this.#transcript.skipTo(view, EARLIER_TURNS)
    const { model, cwd } = view.info
    screen.commit([
      style.bold('toolwire chat'),
      style.dim(`${server.url} · ${id} · ${markLine(model)} · ${markLine(cwd)}`),
      style.dim('/help lists commands'),
    ])
    this.#leave = this.#session.subscribe(() => this.#draw())
    this.#draw()
  }

  get #view(): SessionView {
    return this.#session.getSnapshot().view
  }

  get #drawOptions(): DrawOptions {
    const { t, style, screen } = this.#options
    return { t, style, width: screen.width, now: Date.now() }
  }

  #draw(): void {
    const { screen, style } = this.#options
    const options = this.#drawOptions
    const view = this.#view
    const waiting = view.pending.flatMap(item => view.calls.get(item.call) ?? [])
    this.#approvals.update(waiting, options.now)
    this.#questions.update(waiting, options.now)
    const { finished, live } = this.#transcript.next(view, options)
    screen.commit(finished)
    const prompt = this.#questions.isOpen
      ? this.#questions.lines(options)
      : this.#approvals.lines(options, screen.height)
    const asked =
      waiting.length > 1
        ? [style.yellow(`${waiting.length} approvals: ${markLine(countByName(waiting))}`)]
        : []
    const above = [...(prompt.length > 0 ? [] : live), ...(prompt.length > 0 ? asked : []), ...prompt]
    const box = this.#boxLines(view)
    const lines = [
      ...above,
      style.dim('─'.repeat(Math.max(1, options.width - 1))),
      ...box.lines,
      this.#statusLine(view),
    ]
    screen.draw(lines, { row: above.length + 1 + box.row, column: box.column })
  }

  #boxLines(view: SessionView): {
    readonly lines: readonly string[]
    readonly row: number
    readonly column: number
  } {
    const { style, screen } = this.#options
    const width = screen.width - 4
    const { text, caret } = this.#line
    const before = wrapText(markControls(text.slice(0, caret)), width)
    const queued = view.queue.length > 0 ? style.dim(`  next: ${view.queue.length} queued`) : ''
    const lines = wrapText(markControls(text), width).map(
      (line, at) => `${at === 0 ? style.cyan('›') : ' '} ${line}`,
    )
    return {
      lines: lines.map((line, at) => (at === 0 ? `${line}${queued}` : line)),
      row: before.length - 1,
      column: 2 + textWidth(before.at(-1) ?? ''),
    }
  }

  #statusLine({ info, stats, phase, cancelling }: SessionView): string {
    const { style, t, screen } = this.#options
    const { connection } = this.#session.getSnapshot()
    const cost = !stats.cost_usd ? '' : formatCost(stats.cost_usd, t.locale)
    const state = cancelling
      ? t('composer.stopping')
      : phase === 'idle'
        ? ''
        : `${t(`phase.${phase}`)} (Esc: ${t('composer.stop')})`
    const line = connection.state === 'live' ? '' : t('connection.offline')
    return style.dim(
      `  ${fitText([markLine(info.model), info.permission_mode, cost, state, line].filter(one => one !== '').join(' · '), screen.width - 3)}`,
    )
  }

  #press(input: string | undefined, key: KeyPress): void {
    if (key.name === 'paste-start' || key.name === 'paste-end') {
      this.#isPasting = key.name === 'paste-start'
      return
    }
    if (key.ctrl && key.name === 'c') this.#interrupt()
    else if (key.ctrl && key.name === 'd' && this.#line.text === '') this.#end?.()
    else if (this.#isPasting) this.#line = insert(this.#line, key.name === 'return' ? '\n' : (input ?? ''))
    else if (this.#questions.isOpen) this.#answer(input, key)
    else if (this.#approvals.isOpen && (this.#line.text === '' || this.#approvals.takesText))
      this.#decide(input, key)
    else this.#write(input, key)
    this.#draw()
  }

  /** Clears the line; twice on an empty one leaves. */
  #interrupt(): void {
    const now = Date.now()
    if (this.#line.text !== '') this.#line = EMPTY_LINE
    else if (now - this.#lastInterrupt < TWICE_MS) this.#end?.()
    else this.#note([this.#options.style.dim('Ctrl C again leaves; a run continues on the server.')])
    this.#lastInterrupt = now
  }

  #write(input: string | undefined, key: KeyPress): void {
    if (key.name === 'escape') this.#stop()
    else if (key.name === 'return' || key.name === 'enter') {
      if (key.meta) this.#line = insert(this.#line, '\n')
      else this.#send()
    } else if (key.name === 'up' || key.name === 'down') this.#recall(key.name === 'up' ? 1 : -1)
    else this.#line = editLine(this.#line, input, key)
  }

  #recall(step: number): void {
    this.#recalled = Math.min(this.#history.length, Math.max(0, this.#recalled + step))
    this.#line = lineOf(this.#history.at(-this.#recalled) ?? '')
    if (this.#recalled === 0) this.#line = EMPTY_LINE
  }

  #stop(): void {
    if (this.#view.phase !== 'idle')
      this.#do(() => this.#options.server.client.sessions.cancel(this.#session.id))
  }

  #send(): void {
    const text = this.#line.text.trim()
    if (text === '') return
    this.#line = EMPTY_LINE
    this.#history.push(text)
    this.#recalled = 0
    if (text === '/quit' || text === '/exit') {
      this.#end?.()
      return
    }
    const command = findCommand(text)
    if (!command) {
      this.#do(() => this.#session.send(text), text)
      return
    }
    const { server, t } = this.#options
    const context = {
      server,
      session: this.#session.id,
      locale: t.locale,
      switchTo: (id: string) => this.#open(id),
    }
    this.#do(async () => this.#note(await command(context)))
  }

  /** Runs a request; an error is shown, and an unsent text comes back into the line. */
  #do(work: () => Promise<unknown>, text?: string): void {
    work().catch((error: unknown) => {
      if (text !== undefined && this.#line.text === '') this.#line = lineOf(text)
      this.#note([this.#options.style.red(markLine(toExitError(error, this.#options.server.url).message))])
    })
  }

  #note(lines: readonly string[]): void {
    this.#options.screen.commit(lines.map(line => `  ${line}`))
    this.#draw()
  }

  #decide(input: string | undefined, key: KeyPress): void {
    const isInside = this.#approvals.isInside
    for (const decision of this.#approvals.press(input, key, this.#drawOptions)) this.#settle(decision)
    if (key.name === 'escape' && !isInside) this.#stop()
  }

  #settle(decision: Decision): void {
    if (decision.type === 'show') {
      this.#note(decision.lines)
      return
    }
    const { client } = this.#options.server
    const id = decision.call.approval?.id ?? ''
    if (decision.type === 'deny') this.#do(() => client.deny(id, decision.reason))
    else {
      const { rule, input } = decision
      this.#do(() =>
        client.approve(id, {
          ...(rule === undefined ? {} : { rule }),
          ...(input === undefined ? {} : { input }),
        }),
      )
    }
  }

  #answer(input: string | undefined, key: KeyPress): void {
    const answer = this.#questions.press(input, key, Date.now())
    if (answer) this.#do(() => this.#options.server.client.answer(answer.id, answer.value))
  }
}

export const startChat = async (
  options: Omit<ChatOptions, 'session'>,
  flags: Parameters<typeof openSession>[1],
): Promise<void> => await new ChatApp({ ...options, session: await openSession(options.server, flags) }).run()
