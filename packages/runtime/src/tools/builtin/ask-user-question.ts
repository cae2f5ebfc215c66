/** Asks the user one to four questions. The answers are the result; waiting for them costs nothing. */
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
type Question = z.output<typeof Question>
const Input = z.strictObject({
  questions: z
    .array(Question)
    .min(1)
    .max(4)
    .refine(list => new Set(list.map(one => one.question)).size === list.length, 'Ask each question once')
    .refine(list => list.every(one => one.question !== '__proto__'), 'Write each question as a sentence'),
})

export function createAskUserQuestionTool(): Tool<z.output<typeof Input>> {
  return defineTool({
    name: 'AskUserQuestion',
    title: 'Question',
    type: 'builtin',
    description:
      'Asks the user one to four questions and waits for the answers. Use it when a decision is theirs and cannot be inferred; not for permission to run a tool, which is asked for by itself. The result is a JSON object with the answer to each question: a text, a list where several may be chosen, or null when the user skipped it.',
    input: Input,
    limits: [{ name: 'questions', value: '1 to 4, up to 8 options each' }],
    isReadOnly: () => true,
    question: ({ questions }) => ({
      message: questions.map(one => one.question).join('\n'),
      // Options of several questions in one list would read as those of one.
      ...(questions.length === 1 ? { options: questions[0]?.options ?? [] } : {}),
      schema: {
        type: 'object',
        properties: Object.fromEntries(questions.map(one => [one.question, toProperty(one)])),
        required: questions.map(one => one.question),
      },
    }),
    async *call() {
      yield { type: 'result', output_text: 'The user confirmed without giving an answer.' }
    },
  })
}

/** The schema of one answer: an option or another text, a list of these, or null. */
function toProperty({ question, header, options = [], multiSelect = false }: Question) {
  const names = header ? { title: header, description: question } : { title: question }
  const choices = options.map(({ label, description }) => ({
    const: label,
    ...(description ? { description } : {}),
  }))
  const ways = [...choices, { type: 'string' }]
  const listed = multiSelect && choices.length > 0
  return {
    ...names,
    anyOf: [...(listed ? [{ type: 'array', items: { anyOf: ways } }] : ways), { type: 'null' }],
  }
}
