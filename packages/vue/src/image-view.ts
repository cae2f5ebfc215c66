/** Pictures that a tool made. Bytes in the log are shown; an address elsewhere is fetched only on request. */
import { defineComponent, h, shallowRef } from 'vue'
import { icon } from './icon.ts'
import { SafeLink } from './safe-link.ts'
import { useSessionContext } from './session-context.ts'

const INLINE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,/i

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
      const { src, alt } = props
      if (INLINE.test(src)) return h('img', { 'data-tw-part': 'image', src, alt })
      const url = URL.parse(src)
      if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
        return h('span', { 'data-tw-part': 'image-refused' }, alt)
      if (wanted.value === 'refused') return h(SafeLink, { href: url.href }, () => alt || url.href)
      if (wanted.value === 'yes')
        return h('img', {
          'data-tw-part': 'image',
          src: url.href,
          alt,
          referrerpolicy: 'no-referrer',
          onError: want('refused'),
        })
      return h('button', { type: 'button', 'data-tw-part': 'image-gate', onClick: want('yes') }, [
        icon('image'),
        h('span', t.value('image.blocked', { host: url.host })),
      ])
    }
  },
  { name: 'GatedImage', props: ['src', 'alt'] },
)
