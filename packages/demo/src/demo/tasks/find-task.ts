/** Finds the task that a request asks for. */

import { CHANGING_TASKS } from './changing-tasks.ts'
import type { History } from './history.ts'
import { READING_TASKS } from './reading-tasks.ts'
import { TABLE_TASKS } from './table-tasks.ts'
import { TALK_TASKS } from './talk-tasks.ts'
import type { TaskContext, TaskRun } from './task.ts'

const TASKS = [...TALK_TASKS, ...CHANGING_TASKS, ...TABLE_TASKS, ...READING_TASKS]

/** Longer texts are pasted material, not requests. */
const MOST_TEXT = 500

/** A request to do the latest one again. */
const AGAIN =
  /^(?:please\s+)?(?:try|do)\s+(?:it|that)\s+again[.!]?$|^(?:再试一次|再試一次|重试|重試|再来一次|再來一次)[。.!！]?$/iu

/** The text to act on: the request before, when this one only asks to repeat it. */
export function requestText(text: string, history: History): string {
  return AGAIN.test(text)
    ? (history.turns.findLast(turn => !AGAIN.test(turn.request))?.request ?? text)
    : text
}

export function findTask(context: TaskContext): TaskRun | undefined {
  if (context.text.length > MOST_TEXT) return undefined
  for (const { pattern, run } of TASKS) {
    const match = pattern.exec(context.text)
    if (match) return run(context, match)
  }
  return undefined
}
