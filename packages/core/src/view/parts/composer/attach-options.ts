/** Settings of a composer that takes files, in one language. */
import { formatBytes } from '../../format.ts'
import type { Locale } from '../../strings/en.ts'
import {
  ATTACHMENT_LIMITS,
  type AttachmentLimits,
  type AttachmentOptions,
  Attachments,
  type Upload,
} from './attachments.ts'
import { composerLabels, fillLabel } from './composer-labels.ts'

export interface AttachSetup {
  readonly upload: Upload
  /** The server's own limits when absent; it checks them again. */
  readonly limits?: AttachmentLimits
}

export interface AttachContext {
  readonly locale: Locale
  readonly draftKey: string | undefined
}

export function openAttachments({ upload, limits = ATTACHMENT_LIMITS }: AttachSetup, context: AttachContext) {
  const { locale, draftKey } = context
  const labels = composerLabels({ locale })
  const size = formatBytes(limits.bytes, locale)
  const options: AttachmentOptions = {
    upload,
    limits,
    draftKey,
    errors: {
      tooLarge: fillLabel(labels.too_large, { size }),
      tooMany: fillLabel(labels.too_many, { files: limits.files }),
      empty: labels.empty_file,
    },
  }
  return new Attachments(options)
}

/** The limits in words, shown before anything is attached. */
export const limitsLabel = (locale: Locale, { bytes, files }: AttachmentLimits = ATTACHMENT_LIMITS): string =>
  fillLabel(composerLabels({ locale }).limits, { files, size: formatBytes(bytes, locale) })
