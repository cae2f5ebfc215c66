/** Effects of the replaced part of a conversation, as a list that a user decides about. */
import type { ContentPart } from '../../../event.ts'
import { relativePath } from '../../relative-path.ts'
import type { MessageView } from '../../view.ts'
import type { ComposerLabels } from './composer-labels.ts'

interface Effects {
  readonly files: readonly { readonly path: string; readonly action: string }[]
  readonly commands: readonly { readonly command: string }[]
  readonly calls: readonly { readonly name: string }[]
}

export interface EffectGroup {
  readonly title: string
  readonly lines: readonly string[]
}

/** Groups without lines are left out. */
export const effectGroups = (effects: Effects, labels: ComposerLabels, cwd: string): readonly EffectGroup[] =>
  [
    { title: labels.effect_files, lines: changedPaths(effects, cwd) },
    { title: labels.effect_commands, lines: effects.commands.map(({ command }) => command) },
    { title: labels.effect_calls, lines: effects.calls.map(({ name }) => name) },
  ].filter(({ lines }) => lines.length > 0)

const changedPaths = ({ files }: Effects, cwd: string): readonly string[] =>
  files.flatMap(({ path, action }) => (action === 'unchanged' ? [] : relativePath(path, cwd)))

/** Parts of a message that no text field holds: they stay when its text is edited. */
export const filesIn = (content: readonly ContentPart[]): readonly ContentPart[] =>
  content.filter(part => part.type !== 'text')

/** True for a message of the user that can be written again. */
export const isEditable = ({ role, state }: MessageView): boolean => role === 'user' && state === 'complete'

/** Name, size and problem of a file in a message. */
export function fileFacts(part: Exclude<ContentPart, { type: 'text' }>): {
  readonly name: string
  readonly bytes?: number
  readonly problem?: string
} {
  const { source, title } = part
  const stored = source.type === 'file' ? source : undefined
  return {
    name: title ?? stored?.filename ?? stored?.file_id ?? part.type,
    ...(stored?.bytes === undefined ? {} : { bytes: stored.bytes }),
    ...(stored?.problem === undefined ? {} : { problem: stored.problem }),
  }
}
