/** Icons as data: one path each, drawn as a line of 1.5 in a box of 16 by 16. */
import type { TodoItem } from '../../tools/tool-body.ts'
import type { ToolState } from '../../view.ts'

export const ICON_PATHS = {
  check: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M5 8.2l2.1 2.1L11 6.2',
  cross: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6',
  barred: 'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13M3.6 12.4l8.8-8.8',
  triangle: 'M8 1.8l6.6 11.6a.6.6 0 0 1-.5.9H1.9a.6.6 0 0 1-.5-.9zM8 6.2v3.4M8 11.7v.1',
  screen: 'M2 2.8h12v8.4H2zM5.5 14h5M8 11.2V14M6.5 7h4M8.8 5.2L10.6 7L8.8 8.8',
  ring: 'M8 1.8a6.2 6.2 0 1 1 0 12.4a6.2 6.2 0 0 1 0-12.4',
  arc: 'M8 1.8a6.2 6.2 0 0 1 6.2 6.2',
  square: 'M3 3h10v10H3z',
  chevron: 'M6 3.5L10.5 8L6 12.5',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  send: 'M8 13.5v-11M3.5 7L8 2.5L12.5 7',
  down: 'M8 2.5v11M3.5 9L8 13.5L12.5 9',
  fork: 'M4.5 2.2v6.6a3 3 0 0 0 3 3h3.2M4.5 2.2v11.6M8.6 9.6l2.4 2.2l-2.4 2.2',
  download: 'M8 2v8.5M4.5 7.2L8 10.7l3.5-3.5M2.5 13.8h11',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  think: 'M8 1.8a4.6 4.6 0 0 0-2.6 8.4v1.5h5.2v-1.5A4.6 4.6 0 0 0 8 1.8M6 14.2h4',
  image: 'M2 3h12v10H2zM2 11l3.5-3.5l3 3L11 8l3 3',
  clip: 'M12.6 7.4l-4.9 4.9a3 3 0 0 1-4.3-4.3l5.3-5.3a2 2 0 0 1 2.9 2.9l-5.1 5.1a1 1 0 0 1-1.4-1.4l4.5-4.5',
  file: 'M4 1.8h5.2L12.5 5v9.2H4zM9 2v3.2h3.3',
  folder: 'M1.8 3.4h4.4l1.4 1.8h6.6v7.6H1.8z',
  pencil: 'M2.6 13.4l.7-3L10.7 3l2.3 2.3l-7.4 7.4zM9.3 4.4l2.3 2.3',
  repeat: 'M13.2 6.4A5.6 5.6 0 0 0 3 5.2M2.8 2.4v3h3M2.8 9.6A5.6 5.6 0 0 0 13 10.8M13.2 13.6v-3h-3',
  up: 'M8 13.5v-11M3.5 7L8 2.5L12.5 7',
} as const

export type IconName = keyof typeof ICON_PATHS

/** Shape by state; the colour comes from the stylesheet. */
export const STATE_ICONS: Readonly<Record<ToolState, IconName>> = {
  building: 'ring',
  queued: 'ring',
  awaiting_approval: 'triangle',
  awaiting_client: 'screen',
  executing: 'arc',
  cancelling: 'arc',
  success: 'check',
  failed: 'cross',
  denied: 'barred',
  cancelled: 'square',
  expired: 'square',
  lost: 'square',
}

export const TODO_ICONS: Readonly<Record<TodoItem['status'], IconName>> = {
  completed: 'check',
  in_progress: 'arc',
  pending: 'ring',
  cancelled: 'square',
}
