/** Images of a tool. Bytes in the log are shown; an external address is fetched only on request. */
import { imageAddress } from '@toolwire/core/parts'
import { defineComponent, shallowRef } from 'vue'
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
