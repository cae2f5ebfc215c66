/** The button that shows all of what is shown in part. */
import type { Translate } from '@toolwire/core/view'
import type { VNode } from 'vue'
import { h } from '../shared/h.ts'

export const viewFull = (t: Translate, onClick: () => void): VNode =>
  h('button', { type: 'button', 'data-tw-part': 'view-full', onClick }, t('call.view_full'))
