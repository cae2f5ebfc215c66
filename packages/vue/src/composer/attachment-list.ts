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
import { defineComponent, shallowRef } from 'vue'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'

interface AttachmentListProps {
  readonly files: readonly Attachment[]
  readonly store: Attachments
  readonly locale: Locale
}

export const AttachmentList = defineComponent(
  (props: AttachmentListProps) => () => {
    if (props.files.length === 0) return null
    return h(
      'ul',
      { 'data-tw-part': 'attachments', 'aria-label': composerLabels(props).files },
      props.files.map(file => attachmentItem(file, props)),
    )
  },
  { name: 'AttachmentList', props: ['files', 'store', 'locale'] },
)

function attachmentItem(file: Attachment, { store, locale }: AttachmentListProps) {
  const labels = composerLabels({ locale })
  const { name, key, state, error } = file
  const note = error ?? (file.uploaded && isNameOnly(file.uploaded) ? labels.not_shown : undefined)
  return h('li', { key, 'data-tw-part': 'attachment', 'data-state': state, 'data-tw-state': state }, [
    file.preview === undefined
      ? icon('file')
      : h('img', { 'data-tw-part': 'thumbnail', src: file.preview, alt: '' }),
    h('span', { 'data-tw-part': 'attachment-name', title: name }, name),
    h('span', { 'data-tw-part': 'attachment-size' }, formatBytes(file.bytes, locale)),
    state === 'uploading'
      ? h('progress', { 'data-tw-part': 'progress', 'aria-label': fillLabel(labels.uploading, { name }) })
      : null,
    note === undefined
      ? null
      : h(
          'span',
          { 'data-tw-part': 'attachment-note', ...(error === undefined ? {} : { role: 'alert' }) },
          note,
        ),
    state === 'failed' && file.canRetry
      ? h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'attachment-retry',
            'aria-label': fillLabel(labels.retry, { name }),
            onClick: () => store.retry(key),
          },
          [icon('repeat')],
        )
      : null,
    h(
      'button',
      {
        type: 'button',
        'data-tw-part': 'attachment-remove',
        'aria-label': fillLabel(labels.remove, { name }),
        onClick: () => store.remove(key),
      },
      [icon('close')],
    ),
  ])
}

interface AttachButtonProps {
  readonly store: Attachments
  readonly locale: Locale
  readonly limits: AttachmentLimits | undefined
}

/** A plain file input: on phones it offers the camera as well. */
export const AttachButton = defineComponent(
  (props: AttachButtonProps) => {
    const input = shallowRef<HTMLInputElement | null>(null)
    const onChange = (event: Event) => {
      const field = event.target as HTMLInputElement
      props.store.add([...(field.files ?? [])])
      field.value = ''
    }
    return () => {
      const { attach } = composerLabels(props)
      return [
        h('input', {
          ref: input,
          type: 'file',
          multiple: true,
          hidden: true,
          tabindex: -1,
          'data-tw-part': 'attach-input',
          onChange,
        }),
        h(
          'button',
          {
            type: 'button',
            'data-tw-part': 'attach',
            'aria-label': attach,
            title: `${attach} (${limitsLabel(props.locale, props.limits)})`,
            onClick: () => input.value?.click(),
          },
          [icon('clip')],
        ),
      ]
    }
  },
  { name: 'AttachButton', props: ['store', 'locale', 'limits'] },
)
