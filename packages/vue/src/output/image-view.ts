/** Images of a tool. Bytes in the log are shown; an external address is fetched only on request. */
import { imageAddress } from '@toolwire/core/parts'
import { defineComponent, shallowRef, watchEffect } from 'vue'
import { useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { icon } from '../shared/icon.ts'
import { SafeLink } from './safe-link.ts'

/**
 * An image of the log, or a button that names the host from which it would come. Where the page's own
 * policy forbids other hosts, pressing it leaves a link.
 */
export const GatedImage = defineComponent(
  (props: { readonly src: string; readonly alt: string }) => {
    const { t } = useSessionContext()
    const wanted = shallowRef<'no' | 'yes' | 'refused'>('no')
    const want = (now: 'yes' | 'refused') => () => {
      wanted.value = now
    }
    return () => {
      const { alt } = props
      const image = imageAddress(props.src)
      if (image.type === 'stored') return h(StoredImage, { id: image.file_id, src: image.src, alt })
      if (image.type === 'inline') return h('img', { 'data-tw-part': 'image', src: image.src, alt })
      if (image.type === 'refused') return h('span', { 'data-tw-part': 'image-refused' }, alt)
      if (wanted.value === 'refused') return h(SafeLink, { href: image.src }, () => alt || image.src)
      if (wanted.value === 'yes')
        return h('img', {
          'data-tw-part': 'image',
          src: image.src,
          alt,
          referrerpolicy: 'no-referrer',
          onError: want('refused'),
        })
      return h('button', { type: 'button', 'data-tw-part': 'image-gate', onClick: want('yes') }, [
        icon('image'),
        h('span', t.value('image.blocked', { host: image.host })),
      ])
    }
  },
  { name: 'GatedImage', props: ['src', 'alt'] },
)

/** Until its bytes are there, and when they are gone, its name. */
const StoredImage = defineComponent(
  (props: { readonly id: string; readonly src: string; readonly alt: string }) => {
    const { commands } = useSessionContext()
    const url = shallowRef<string>()
    watchEffect(onCleanup => {
      const { files } = commands.value
      if (!files) return
      const leave = new AbortController()
      let made: string | undefined
      files
        .content(props.id, leave.signal)
        .then(response => response.blob())
        .then(blob => {
          if (leave.signal.aborted) return
          made = URL.createObjectURL(blob)
          url.value = made
        })
        .catch(() => {})
      onCleanup(() => {
        leave.abort()
        if (made !== undefined) URL.revokeObjectURL(made)
        url.value = undefined
      })
    })
    return () => {
      const shown = commands.value.files ? url.value : props.src
      if (shown === undefined) return h('span', { 'data-tw-part': 'image-refused' }, props.alt)
      return h('img', { 'data-tw-part': 'image', src: shown, alt: props.alt })
    }
  },
  { name: 'StoredImage', props: ['id', 'src', 'alt'] },
)
