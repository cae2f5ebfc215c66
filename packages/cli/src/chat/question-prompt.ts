/** Asks the questions of a call one after the other, then shows all answers before they are sent. */
import {
  type BlockAnswer,
  blockValues,
  chooseOption,
  markControls,
  markLine,
  NO_ANSWER,
  OTHER,
  type QuestionBlock,
  questionBlocks,
  unanswered,
} from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import type { DrawOptions } from './draw-call.ts'
import { EMPTY_LINE, editLine, type KeyPress, type Line } from './line-editor.ts'
import { wrapText } from './width.ts'

export interface Answer {
  readonly id: string
  readonly value: unknown
}

const GUARD_MS = 300

export class QuestionPrompt {
  #call: CallView | undefined
  #blocks: readonly QuestionBlock[] = []
  #answers: readonly BlockAnswer[] = []
  #at = 0
  #row = 0
  #since = 0
  #line: Line = EMPTY_LINE

  get isOpen(): boolean {
    return this.#call !== undefined
  }

  update(calls: readonly CallView[], now: number): void {
    const call = calls.find(one => one.approval?.kind === 'question')
    if (call?.id === this.#call?.id) return
    this.#call = call
    this.#blocks = call?.approval ? blocksOf(call.approval) : []
    this.#answers = this.#blocks.map(() => NO_ANSWER)
    this.#at = 0
    this.#row = 0
    this.#since = now
    this.#line = EMPTY_LINE
  }

  lines({ t, style, width }: DrawOptions): readonly string[] {
    if (!this.#call) return []
    const block = this.#blocks[this.#at]
    if (!block) return this.#review(t, style)
    const answer = this.#answers[this.#at] ?? NO_ANSWER
    const rows = [
      ...block.options.map(option => [option.label, option.description] as const),
      [t('question.other'), ''] as const,
    ]
    const mark = (at: number) => {
      const chosen = answer.chosen.includes(at === block.options.length ? OTHER : at)
      return block.many ? (chosen ? '[x]' : '[ ]') : chosen ? '(•)' : '( )'
    }
    return [
      style.bold(`? ${this.#at + 1}/${this.#blocks.length} ${markLine(block.header)}`),
      ...wrapText(markControls(block.text), width - 2).map(line => `  ${line}`),
      ...(block.options.length === 0
        ? []
        : rows.map(([label, description], at) => {
            const typed =
              at === block.options.length && this.#row === at ? ` ${markLine(this.#line.text)}` : ''
            return `${at === this.#row ? style.cyan('›') : ' '} ${mark(at)} ${at + 1} ${markLine(label)}${typed}${description === '' ? '' : style.dim(`  ${markLine(description)}`)}`
          })),
      ...(block.options.length === 0 ? [`› ${markLine(this.#line.text)}`] : []),
      style.yellow(
        `  ↑↓ move  Space selects  Enter next  Tab skip  (${block.many ? t('question.any') : t('question.one')})`,
      ),
    ]
  }

  #review(t: DrawOptions['t'], style: DrawOptions['style']): readonly string[] {
    const values = blockValues(this.#blocks, this.#answers)
    const skipped = unanswered(this.#blocks, this.#answers)
    return [
      style.bold(t('question.answered')),
      ...this.#blocks.map(
        block => `  ${markLine(block.header || block.text)}: ${markLine(String(values[block.name] ?? '–'))}`,
      ),
      ...(skipped.length === 0
        ? []
        : [style.dim(`  ${t('question.skipped', { names: markLine(skipped.join(', ')) })}`)]),
      style.yellow(`  Enter: ${t('question.send')}  Esc: back`),
    ]
  }

  /** The answer to send, once a key has sent it. */
  press(input: string | undefined, key: KeyPress, now: number): Answer | undefined {
    const id = this.#call?.approval?.id
    if (id === undefined || now - this.#since < GUARD_MS) return undefined
    const block = this.#blocks[this.#at]
    if (!block) {
      if (key.name === 'return') return { id, value: blockValues(this.#blocks, this.#answers) }
      if (key.name === 'escape') this.#go(0)
      return undefined
    }
    this.#pressIn(block, input, key)
    return undefined
  }

  #pressIn(block: QuestionBlock, input: string | undefined, key: KeyPress): void {
    const other = block.options.length
    const chosen = /^[1-9]$/.test(input ?? '') ? Number(input) - 1 : this.#row
    if (key.name === 'up') this.#row = Math.max(0, this.#row - 1)
    else if (key.name === 'down') this.#row = Math.min(other, this.#row + 1)
    else if (key.name === 'tab') this.#go(this.#at + 1)
    else if (key.name === 'return') this.#enter(block)
    else if (this.#row === other) this.#type(block, input, key)
    else if ((input === ' ' || chosen !== this.#row) && chosen < other) this.#choose(block, chosen)
  }

  #go(at: number): void {
    this.#at = at
    this.#row = 0
    this.#line = EMPTY_LINE
  }

  #enter(block: QuestionBlock): void {
    const answer = this.#answers[this.#at] ?? NO_ANSWER
    if (answer.chosen.length === 0 && block.options.length > this.#row) this.#choose(block, this.#row)
    this.#go(this.#at + 1)
  }

  #choose(block: QuestionBlock, option: number): void {
    this.#set(chooseOption(block, this.#answers[this.#at] ?? NO_ANSWER, option))
    this.#row = Math.max(0, option)
  }

  #type(block: QuestionBlock, input: string | undefined, key: KeyPress): void {
    this.#line = editLine(this.#line, input, key)
    const answer = this.#answers[this.#at] ?? NO_ANSWER
    const chosen = block.many ? [...new Set([...answer.chosen, OTHER])] : [OTHER]
    this.#set({ chosen, text: this.#line.text })
  }

  #set(answer: BlockAnswer): void {
    this.#answers = this.#answers.map((one, at) => (at === this.#at ? answer : one))
  }
}

/** A question of another form is one free text. */
function blocksOf(approval: NonNullable<CallView['approval']>): readonly QuestionBlock[] {
  return (
    questionBlocks(approval) ?? [
      { name: 'answer', header: '', text: approval.message ?? '', options: [], many: false },
    ]
  )
}
