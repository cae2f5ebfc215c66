/** Background commands that have ended since the last notice to the model. */
import type { Notice } from '@toolwire/core'
import { quoteInline } from '@toolwire/core'
import { TASK_NOTE, type TaskNote } from './task-watch.ts'

const MAX_COMMAND = 200

/** A line for each, in the order of their notes. Pure. */
export function taskNews(notes: Readonly<Record<string, unknown>>): readonly Notice[] {
  return Object.entries(notes).flatMap(([name, value]) => {
    const task = name.startsWith(TASK_NOTE) ? (value as TaskNote | null) : null
    if (!task?.ended || task.told) return []
    const text = `Background command ${task.task_id} ${wordsOf(task.ended)}: ${quoteInline(task.command, MAX_COMMAND)} (output: ${task.log})`
    return [{ text, note: { name, value: { ...task, told: true } } }]
  })
}

function wordsOf({ code, overdue }: NonNullable<TaskNote['ended']>): string {
  if (overdue) return 'was stopped at its time limit'
  return code === undefined ? 'has ended' : `has ended with exit code ${code}`
}
