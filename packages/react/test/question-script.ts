/** A session that waits for the answers to three questions, asked by the real tool. */

import { Script } from '../../core/test/view/script.ts'
import { createAskUserQuestionTool } from '../../tools/src/builtin/ask-user-question.ts'

/** A bidirectional override, and a text that no line holds. */
export const HOSTILE = `Blue\u202eeulb <img src=x> ${'w'.repeat(150)}`

export const QUESTIONS = [
  {
    question: 'Which color?',
    header: 'Color',
    options: [{ label: 'Red', description: 'Warm' }, { label: HOSTILE }],
  },
  { question: 'Which sizes?', options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }], multiSelect: true },
  { question: 'Anything else?' },
]

export function askQuestions(approval_id = 'a1'): Script {
  const input = { questions: QUESTIONS }
  const { message, options, schema } = createAskUserQuestionTool().question?.(input) ?? { message: '' }
  return new Script()
    .created()
    .ask('go')
    .turn('m1')
    .call('m1', 0, 'q1', { name: 'AskUserQuestion', input })
    .add('tool.approval_requested', {
      approval_id,
      call_id: 'q1',
      name: 'AskUserQuestion',
      kind: 'question',
      allow_edit: false,
      message,
      ...(options ? { options: [...options] } : {}),
      ...(schema ? { schema } : {}),
    })
}

/** The same, answered. */
export function answerQuestions(): Script {
  const answer = JSON.stringify({
    'Which color?': HOSTILE,
    'Which sizes?': ['S', 'L'],
    'Anything else?': null,
  })
  const script = askQuestions().add('tool.approval_resolved', {
    approval_id: 'a1',
    call_id: 'q1',
    decision: 'approved',
    by: 'user',
    answer_text: answer,
  })
  return script.done('q1', answer)
}
