/** All tasks of `toolwire eval`, in the order in which it runs them. */
import type { EvalTask } from './eval-task.ts'
import { ANSWER_TASKS } from './tasks-answers.ts'
import { CHANGE_TASKS } from './tasks-changes.ts'
import { GUIDANCE_TASKS } from './tasks-guidance.ts'
import { SAFETY_TASKS } from './tasks-safety.ts'

export const EVAL_TASKS: readonly EvalTask[] = [
  ...ANSWER_TASKS,
  ...CHANGE_TASKS,
  ...SAFETY_TASKS,
  ...GUIDANCE_TASKS,
]
