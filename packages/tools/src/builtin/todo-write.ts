/** TodoWrite: the list of what is to be done, kept in the session and shown to people. */
import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const MAX_TODOS = 200

const todo = z.strictObject({
  content: z.string().min(1).max(1000).describe('The step'),
  status: z
    .enum(['pending', 'in_progress', 'completed', 'cancelled'])
    .describe('cancelled: no longer needed'),
  activeForm: z
    .string()
    .max(1000)
    .optional()
    .describe('The same while it is being done, such as "Running tests"; optional'),
})

const TODO_NOTE = 'todos'

export const createTodoWriteTool = () =>
  defineTool({
    name: 'TodoWrite',
    type: 'builtin',
    description:
      'Keeps the list of steps of a longer task; it survives a shortened history. Use it for three or more separate steps, or for several requests at once, and not for questions or a single step. Send the whole list every time. Have at most one step in progress, update the list as each step ends, and mark a step completed only after its check.',
    input: z.strictObject({
      todos: z.array(todo).max(MAX_TODOS).describe('The whole list, in the language of the person'),
    }),
    limits: [{ name: 'list', value: `${MAX_TODOS} entries` }],
    // It changes only the session's own list, so it needs no permission.
    isReadOnly: () => true,
    eager: false,
    access: async () => [{ key: 'todos', mode: 'write' }],
    may_repeat: true,
    async validate({ todos }) {
      const active = todos.filter(one => one.status === 'in_progress').length
      return active > 1 ? `At most one entry may be in progress; ${active} are.` : undefined
    },
    async *call({ todos }, { notes }) {
      const before = notes.get(TODO_NOTE) ?? []
      notes.set(TODO_NOTE, todos)
      const left = todos.filter(one => one.status === 'pending' || one.status === 'in_progress').length
      yield {
        type: 'result',
        output_text: `The list has been updated: ${todos.length} entries, ${left} not completed.`,
        structured: { oldTodos: before, newTodos: todos },
        view: { title: 'Todos', kind: 'todos', body: { todos } },
      }
    },
    view: ({ todos }) => ({ title: 'Todos', kind: 'todos', body: { todos } }),
  })
