/** Decides about the calls that wait: one card at a time, or all of them as a list. */
import {
  countByName,
  escapeControls,
  isAsked,
  markControls,
  markLine,
  suggestedRule,
} from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { askedLines, callLine, type DrawOptions } from './draw-call.ts'
import { EMPTY_LINE, editLine, type KeyPress, type Line, lineOf } from './line-editor.ts'
import { wrapText } from './width.ts'

/** The decision of a person about one call. */
export type Decision =
  | { readonly type: 'allow'; readonly call: CallView; readonly rule?: string; readonly input?: unknown }
  | { readonly type: 'deny'; readonly call: CallView; readonly reason?: string }
  | { readonly type: 'show'; readonly lines: readonly string[] }

/** Keys that come sooner than this after the prompt were meant for something else. */
const GUARD_MS = 300
/** Rows of a screen that the card leaves to the heading, the call's own line, the line to write in and the status. */
const FRAME_ROWS = 6
const HELP = '[y] once  [s] session  [e] edit  [n] deny…  [v] full'

export class ApprovalPrompt {
  #calls: readonly CallView[] = []
  #since = 0
  #mode: 'card' | 'list' | 'reason' | 'edit' = 'card'
  #row = 0
  /** Calls whose whole content was on the screen. */
  readonly #seen = new Set<string>()
  readonly #off = new Set<string>()
  #line: Line = EMPTY_LINE
  #error = ''

  get isOpen(): boolean {
    return this.#calls.length > 0
  }

  /** True while every key belongs to the prompt: a text is typed, or the list is open. */
  get isInside(): boolean {
    return this.#mode !== 'card'
  }

  /** True while typed text belongs to the prompt. */
  get takesText(): boolean {
    return this.#mode === 'reason' || this.#mode === 'edit'
  }

  /** Takes the calls that wait now. Another first call is another prompt. */
  update(calls: readonly CallView[], now: number): void {
    const asked = calls.filter(isAsked)
    if (asked[0]?.id !== this.#calls[0]?.id) {
      this.#since = now
      this.#mode = 'card'
      this.#row = 0
      this.#error = ''
      for (const call of asked) if (isRisky(call)) this.#off.add(call.id)
    }
    this.#calls = asked
  }

  lines(options: DrawOptions, height: number): readonly string[] {
    const [call] = this.#calls
    if (!call) return []
    if (this.#mode === 'list') return this.#listLines(options)
    const all = askedLines(call, options)
    const below = this.#below(call, options)
    const room = height - FRAME_ROWS - below.length
    if (all.length <= room) this.#seen.add(call.id)
    return [callLine(call, options), ...cutMiddle(all, room, options), ...below]
  }

  /** The lines after the content of the call: the reason for asking, the rule, and the keys or the typed text. */
  #below(call: CallView, options: DrawOptions): readonly string[] {
    const { style, width } = options
    const wrap = (text: string) => wrapText(text, width - 3).map(line => `  ${line}`)
    const rule = call.approval ? suggestedRule(call.approval) : undefined
    const many = this.#calls.length > 1 ? `   1 of ${this.#calls.length} · [A] list all` : ''
    const typed = markControls(this.#line.text)
    const asks: Readonly<Record<string, string>> = {
      reason: `Reason, the model sees it (Enter sends, Esc goes back): ${typed}`,
      edit: `Arguments as JSON (Enter allows once, Esc goes back): ${typed}`,
    }
    const asked = asks[this.#mode]
    return [
      ...(call.approval?.message ? wrap(markLine(call.approval.message)).map(style.dim) : []),
      ...(rule === undefined ? [] : wrap(`rule if kept: ${markLine(rule)}`).map(style.dim)),
      ...this.#errorLines(options),
      ...(asked === undefined ? wrap(`${HELP}${many}`).map(style.yellow) : wrap(asked)),
    ]
  }

  #listLines(options: DrawOptions): readonly string[] {
    const { style } = options
    const chosen = this.#chosen().length
    return [
      style.bold(`${this.#calls.length} approvals: ${markLine(countByName(this.#calls))}`),
      ...this.#calls.map((call, at) => {
        const mark = this.#off.has(call.id) ? '[ ]' : '[x]'
        const risk = isRisky(call) ? style.red('  decide separately') : ''
        return `${at === this.#row ? '›' : ' '} ${mark} ${callLine(call, { ...options, width: options.width - 26 })}${risk}`
      }),
      ...this.#errorLines(options),
      style.yellow(
        `  ↑↓ move  Space selects  [v] full  [y] allow ${chosen} once  [n] deny ${chosen}  Esc back`,
      ),
    ]
  }

  #errorLines({ style }: DrawOptions): readonly string[] {
    return this.#error === '' ? [] : [style.red(`  ${this.#error}`)]
  }

  #chosen(): readonly CallView[] {
    return this.#calls.filter(call => !this.#off.has(call.id))
  }

  /** Decisions that a key makes; empty when it makes none. */
  press(input: string | undefined, key: KeyPress, options: DrawOptions): readonly Decision[] {
    const [call] = this.#calls
    if (!call || options.now - this.#since < GUARD_MS) return []
    this.#error = ''
    if (this.takesText) return this.#typed(call, input, key)
    if (this.#mode === 'list') return this.#pressList(input, key, options)
    switch (input) {
      case 'y':
        return this.#allow(call)
      case 's': {
        const rule = call.approval ? suggestedRule(call.approval) : undefined
        if (rule !== undefined) return this.#allow(call, rule)
        this.#error = 'No rule is narrow enough for this call. Use [y].'
        return []
      }
      case 'n':
        return this.#write('reason', '')
      case 'e':
        if (call.approval?.allow_edit === false || !this.#mustSee([call])) return []
        return this.#write('edit', toEditable(call))
      case 'v':
        return [this.#show([call], options)]
      case 'A':
        if (this.#calls.length > 1) this.#mode = 'list'
        return []
      default:
        return []
    }
  }

  #allow(call: CallView, rule?: string): readonly Decision[] {
    return this.#mustSee([call]) ? [{ type: 'allow', call, ...(rule === undefined ? {} : { rule }) }] : []
  }

  /** False, with the reason on the screen, while a part of one of the calls was not shown. */
  #mustSee(calls: readonly CallView[]): boolean {
    const isSeen = calls.every(call => this.#seen.has(call.id))
    if (!isSeen) this.#error = 'Press [v] first: a part of what would run was not shown.'
    return isSeen
  }

  #show(calls: readonly CallView[], options: DrawOptions): Decision {
    for (const call of calls) this.#seen.add(call.id)
    return {
      type: 'show',
      lines: calls.flatMap(call => [callLine(call, options), ...askedLines(call, options)]),
    }
  }

  #write(mode: 'reason' | 'edit', text: string): readonly Decision[] {
    this.#mode = mode
    this.#line = lineOf(text)
    return []
  }

  #typed(call: CallView, input: string | undefined, key: KeyPress): readonly Decision[] {
    const { text } = this.#line
    if (key.name === 'escape') this.#mode = 'card'
    else if (key.name !== 'return') this.#line = editLine(this.#line, input, key)
    else if (this.#mode === 'reason') {
      this.#mode = 'card'
      return [{ type: 'deny', call, ...(text.trim() === '' ? {} : { reason: text.trim() }) }]
    } else
      try {
        const edited: unknown = JSON.parse(text)
        this.#mode = 'card'
        return [{ type: 'allow', call, input: edited }]
      } catch {
        this.#error = 'The arguments are not valid JSON.'
      }
    return []
  }

  #pressList(input: string | undefined, key: KeyPress, options: DrawOptions): readonly Decision[] {
    const call = this.#calls[this.#row]
    if (key.name === 'escape') this.#mode = 'card'
    else if (key.name === 'up') this.#row = Math.max(0, this.#row - 1)
    else if (key.name === 'down') this.#row = Math.min(this.#calls.length - 1, this.#row + 1)
    else if (input === ' ' && call) {
      if (!this.#off.delete(call.id)) this.#off.add(call.id)
    } else if (input === 'v') return [this.#show(this.#chosen(), options)]
    else if (input === 'n' || (input === 'y' && this.#mustSee(this.#chosen()))) {
      const chosen = this.#chosen()
      this.#mode = 'card'
      return chosen.map(one => ({ type: input === 'y' ? 'allow' : 'deny', call: one }))
    }
    return []
  }
}

/** At most `room` lines, three at least. The end is always among them, and the hidden lines are counted. */
function cutMiddle(all: readonly string[], room: number, { style }: DrawOptions): readonly string[] {
  if (all.length <= room) return all
  const shown = Math.max(3, room) - 1
  const end = Math.floor(shown / 2)
  const hidden = all.length - shown
  return [
    ...all.slice(0, shown - end),
    style.dim(`  … ${hidden} more line${hidden === 1 ? '' : 's'}, [v] shows all`),
    ...all.slice(-end),
  ]
}

/** The arguments on one line, with nothing hidden in them. */
const toEditable = ({ input, input_text }: CallView): string =>
  input === undefined ? input_text : escapeControls(JSON.stringify(input))

/** Calls that leave the workspace or the sandbox, or that destroy data: they are never selected beforehand. */
function isRisky({ approval, input_text }: CallView): boolean {
  return (
    /outside/i.test(approval?.message ?? '') ||
    /\brm\s+-|"dangerouslyDisableSandbox":\s*true/.test(input_text)
  )
}
