/** Several questions in one form: each has its options and room for another answer, and every answer is sent. */
import { describe, expect, test } from 'vitest'
import {
  blockValues,
  chooseOption,
  NO_ANSWER,
  OTHER,
  type QuestionBlock,
  questionBlocks,
  unanswered,
} from '../../../src/view/parts/forms/question-blocks.ts'
import type { ApprovalView } from '../../../src/view/view.ts'

const option = (value: string) => ({ const: value, description: `${value} is good.` })
const options = [option('Oak'), option('Elm')]
const free = { type: 'string' }
const schema = {
  type: 'object',
  properties: {
    tree: { title: 'Tree', description: 'Which tree?', anyOf: [...options, free, { type: 'null' }] },
    trees: {
      title: 'Trees',
      description: 'Which trees?',
      anyOf: [{ type: 'array', items: { anyOf: [...options, free] } }, { type: 'null' }],
    },
    name: { title: 'Name', anyOf: [free, { type: 'null' }] },
  },
}
const blocksOf = (value: unknown, more: object = {}): readonly QuestionBlock[] | undefined =>
  questionBlocks({ schema: value, ...more } as unknown as ApprovalView)
const BLOCKS = blocksOf(schema) ?? []

describe('the blocks of a form', () => {
  test('are one for each question, with the descriptions of its options, for one choice or several', () => {
    const shown = [
      { value: 'Oak', label: 'Oak', description: 'Oak is good.' },
      { value: 'Elm', label: 'Elm', description: 'Elm is good.' },
    ]
    expect(BLOCKS).toEqual([
      { name: 'tree', header: 'Tree', text: 'Which tree?', options: shown, many: false },
      { name: 'trees', header: 'Trees', text: 'Which trees?', options: shown, many: true },
      { name: 'name', header: '', text: 'Name', options: [], many: false },
    ])
  })

  test('do not exist where a question has another form, so that no question is lost', () => {
    const number = { type: 'number' }
    expect(blocksOf({ properties: { ...schema.properties, number } })).toBeUndefined()
    expect(blocksOf(schema, { resumes: true })).toBeUndefined()
    expect(blocksOf({})).toBeUndefined()
  })
})

describe('the answers to a form', () => {
  test('hold the options by their values, another answer as it was written, and null for none', () => {
    const answers = [
      { chosen: [1], text: '' },
      { chosen: [1, 0, OTHER], text: ' Ash ' },
    ]
    expect(blockValues(BLOCKS, answers)).toEqual({ tree: 'Elm', trees: ['Oak', 'Elm', 'Ash'], name: null })
    expect(unanswered(BLOCKS, answers)).toHaveLength(1)
  })

  test('hold a text only where it was chosen, or where there is nothing else to choose', () => {
    const written = BLOCKS.map(() => ({ chosen: [], text: 'Ash' }))
    expect(blockValues(BLOCKS, written)).toEqual({ tree: null, trees: null, name: 'Ash' })
    const chosen = BLOCKS.map(() => ({ chosen: [OTHER], text: 'Ash' }))
    expect(blockValues(BLOCKS, chosen)).toEqual({ tree: 'Ash', trees: ['Ash'], name: 'Ash' })
    expect(blockValues(BLOCKS, [])).toEqual({ tree: null, trees: null, name: null })
  })

  test('change by one option at a time where several may be chosen, and are replaced elsewhere', () => {
    const [one, many] = BLOCKS
    if (!one || !many) throw new Error('the form has blocks')
    const both = chooseOption(many, chooseOption(many, NO_ANSWER, 0), 1)
    expect(both.chosen).toEqual([0, 1])
    expect(chooseOption(many, both, 0).chosen).toEqual([1])
    expect(chooseOption(one, chooseOption(one, NO_ANSWER, 0), 1).chosen).toEqual([1])
  })
})
