/** Attached files of a message that is being written, and the button that adds some. */
import {
  type Attachment,
  type AttachmentLimits,
  type Attachments,
  composerLabels,
  fillLabel,
  isNameOnly,
  limitsLabel,
} from '@toolwire/core/parts'
import { formatBytes, type Locale } from '@toolwire/core/view'
import { useRef } from 'react'
import { Icon } from '../shared/icon.tsx'

interface AttachmentListProps {
  readonly files: readonly Attachment[]
  readonly store: Attachments
  readonly locale: Locale
}

export function AttachmentList({ files, store, locale }: AttachmentListProps) {
  if (files.length === 0) return null
  return (
    <ul data-tw-part="attachments" aria-label={composerLabels({ locale }).files}>
      {files.map(file => (
        <AttachmentItem key={file.key} file={file} store={store} locale={locale} />
      ))}
    </ul>
  )
}

interface AttachmentItemProps {
  readonly file: Attachment
  readonly store: Attachments
  readonly locale: Locale
}

function AttachmentItem({ file, store, locale }: AttachmentItemProps) {
  const labels = composerLabels({ locale })
  const { name } = file
  const note = file.error ?? (file.uploaded && isNameOnly(file.uploaded) ? labels.not_shown : undefined)
  return (
    <li data-tw-part="attachment" data-state={file.state} data-tw-state={file.state}>
      {file.preview === undefined ? (
        <Icon name="file" />
      ) : (
        <img data-tw-part="thumbnail" src={file.preview} alt="" />
      )}
      <span data-tw-part="attachment-name" title={name}>
        {name}
      </span>
      <span data-tw-part="attachment-size">{formatBytes(file.bytes, locale)}</span>
      {file.state === 'uploading' && (
        <progress data-tw-part="progress" aria-label={fillLabel(labels.uploading, { name })} />
      )}
      {note !== undefined && (
        <span data-tw-part="attachment-note" role={file.error === undefined ? undefined : 'alert'}>
          {note}
        </span>
      )}
      {file.state === 'failed' && file.canRetry && (
        <button
          type="button"
          data-tw-part="attachment-retry"
          aria-label={fillLabel(labels.retry, { name })}
          onClick={() => store.retry(file.key)}
        >
          <Icon name="repeat" />
        </button>
      )}
      <button
        type="button"
        data-tw-part="attachment-remove"
        aria-label={fillLabel(labels.remove, { name })}
        onClick={() => store.remove(file.key)}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}

interface AttachButtonProps {
  readonly store: Attachments
  readonly locale: Locale
  readonly limits: AttachmentLimits | undefined
}

/** A plain file input: on phones it offers the camera as well. */
export function AttachButton({ store, locale, limits }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  const { attach } = composerLabels({ locale })
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        tabIndex={-1}
        data-tw-part="attach-input"
        onChange={event => {
          store.add([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      <button
        type="button"
        data-tw-part="attach"
        aria-label={attach}
        title={`${attach} (${limitsLabel(locale, limits)})`}
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
    </>
  )
}
