/** Asks the person at the other end. The answer is the result; waiting for it costs nothing. */
import type { Tool } from '@toolwire/core'
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const Option = z.strictObject({
  label: z.string().min(1).max(200),
  description: z.string().max(1000).optional(),
})
const Question = z.strictObject({
  question: z.string().min(1).max(2000).describe('The question, in one or two sentences'),
  header: z.string().max(40).optional().describe('A short title'),
  options: z.array(Option).max(8).optional().describe('Answers to choose from; others stay possible'),
  multiSelect: z.boolean().optional().describe('Whether several options may be chosen'),
})
const Input = z.strictObject({ questions: z.array(Question).min(1).max(4) })

export function createAskUserQuestionTool(): Tool<z.output<typeof Input>> {
  return defineTool({
    name: 'AskUserQuestion',
    title: 'Question',
    type: 'builtin',
    description:
      'Asks the user one to four questions and waits for the answer. Use it when a decision is theirs and cannot be inferred; not for permission to run a tool, which is asked for by itself.',
    input: Input,
    limits: [{ name: 'questions', value: '1 to 4, up to 8 options each' }],
    isReadOnly: () => true,
    question: ({ questions }) => ({
      message: questions.map(one => one.question).join('\n'),
      options: questions.flatMap(one => one.options ?? []),
    }),
    async *call() {
      yield { type: 'result', output_text: 'The user confirmed without giving an answer.' }
    },
  })
}
