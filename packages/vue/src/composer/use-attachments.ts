/** The files of a message that is being written, and the element that they are dropped on. */
import { type Attachments, dropAreaOf, openAttachments, type Upload, watchDrop } from '@toolwire/core/parts'
import { computed, onMounted, onScopeDispose, type Ref, shallowRef, watch } from 'vue'
import { useStore } from '../shared/use-store.ts'
import type { MessageBoxProps } from './message-box-props.ts'

export function useAttachments(props: MessageBoxProps, frame: Readonly<Ref<HTMLElement | null>>) {
  const isWanted = computed(() => props.attach !== undefined)
  const store = computed((): Attachments | undefined => {
    if (!isWanted.value) return undefined
    const { locale = 'en', draftKey } = props
    const limits = props.attach?.limits
    const upload: Upload = (file, options) => {
      if (!props.attach) throw new Error('This composer takes no files.')
      return props.attach.upload(file, options)
    }
    return openAttachments({ upload, ...(limits ? { limits } : {}) }, { locale, draftKey })
  })
  const files = useStore(() => store.value)
  const isDragging = shallowRef(false)
  let leave = () => {}
  const follow = () => {
    leave()
    const { value: attachments } = store
    if (!attachments || !frame.value) return
    const stop = watchDrop(dropAreaOf(frame.value), {
      onFiles: attachments.add,
      onDragging: value => {
        isDragging.value = value
      },
    })
    leave = () => {
      stop()
      attachments.close()
    }
  }
  onMounted(() => {
    follow()
    watch(store, follow)
  })
  onScopeDispose(() => leave())
  return { files, store, isDragging }
}
