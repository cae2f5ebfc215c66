import { afterEach, expect, test } from 'vitest'
import { createAskUserQuestionTool } from '../src/builtin/ask-user-question.ts'
import { createStage, type Stage, textOf } from './stage.ts'

let stage: Stage | undefined
function open(): Stage {
  stage = createStage({ tools: [createAskUserQuestionTool()] })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

const COLOR = {
  question: 'Which color?',
  header: 'Color',
  options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue' }],
}
const SIZES = { question: 'Which sizes?', options: [{ label: 'S' }, { label: 'M' }], multiSelect: true }

test('every question is asked with its options and descriptions', async () => {
  const s = open()
  await s.one('AskUserQuestion', { questions: [COLOR, SIZES, { question: 'Why?' }] })
  const [asked] = s.events('tool.approval_requested')
  expect(asked).toMatchObject({ kind: 'question', message: 'Which color?\nWhich sizes?\nWhy?' })
  expect(asked?.options).toBeUndefined()
  const text = { type: 'string' }
  const none = { type: 'null' }
  expect(asked?.schema?.['properties']).toEqual({
    'Which color?': {
      title: 'Color',
      description: 'Which color?',
      anyOf: [{ const: 'Red', description: 'Warm' }, { const: 'Blue' }, text, none],
    },
    'Which sizes?': {
      title: 'Which sizes?',
      anyOf: [{ type: 'array', items: { anyOf: [{ const: 'S' }, { const: 'M' }, text] } }, none],
    },
    'Why?': { title: 'Why?', anyOf: [text, none] },
  })
})

test('all answers reach the model, over a restart too', async () => {
  const s = open()
  const call = await s.one('AskUserQuestion', { questions: [COLOR, SIZES] })
  s.restart()
  const answer = JSON.stringify({ 'Which color?': 'Green', 'Which sizes?': ['S', 'M'] })
  s.approve(call, { answer_text: answer })
  await s.settle()
  expect(textOf(s.state().calls[0])).toBe(answer)
})

test('one question keeps its options for clients that know no schema, and takes a plain text', async () => {
  const s = open()
  const call = await s.one('AskUserQuestion', { questions: [COLOR] })
  expect(s.events('tool.approval_requested')[0]?.options).toEqual(COLOR.options)
  s.approve(call, { answer_text: 'Blue' })
  await s.settle()
  expect(textOf(s.state().calls[0])).toBe('Blue')
})

test.each([
  ['twice the same', [COLOR, COLOR], 'Ask each question once'],
  ['a name that objects have', [COLOR, { question: '__proto__' }], 'Write each question as a sentence'],
])('questions that could not both be answered are refused: %s', async (_, questions, problem) => {
  const s = open()
  expect(textOf(await s.one('AskUserQuestion', { questions }))).toContain(problem)
  expect(s.events('tool.approval_requested')).toEqual([])
})
