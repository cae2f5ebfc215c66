/** Properties of the message field that both frameworks have. */
import type { Locale } from '../../strings/en.ts'
import type { AttachSetup } from './attach-options.ts'
import type { MessageContent } from './attachments.ts'
import type { Complete } from './completer.ts'

export interface Draft {
  readonly text: string
}

export interface SendMode {
  /** The user asked that the current run gets the message. */
  readonly steers: boolean
}

export interface MessageBoxSettings {
  /** `content` has the attached files as well. */
  readonly onSend: (text: string, content: MessageContent, mode: SendMode) => Promise<unknown>
  readonly placeholder: string
  readonly words: { readonly send: string }
  /** Of the labels for files and suggestions; English when absent. */
  readonly locale?: Locale
  readonly autoFocus?: boolean
  /** Present while a run can be stopped. */
  readonly stop?: { readonly label: string; readonly busy: boolean; readonly onStop: () => void }
  /** A line below the field. */
  readonly hint?: string
  /** An error of an earlier attempt is cleared when this becomes true. */
  readonly isConnected?: boolean
  /** See `Composer`. */
  readonly draft?: Draft | undefined
  /** See `Composer`. */
  readonly draftKey?: string
  /** Lets the user attach, paste and drop files. */
  readonly attach?: AttachSetup
  /** Suggestions for `@` and `/`. */
  readonly complete?: Complete
}
