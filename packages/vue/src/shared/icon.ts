/** Icons as inline SVG: no font, no request, the color of the surrounding text. */
import { ICON_PATHS, type IconName } from '@toolwire/core/parts'
import { defineComponent, type VNode } from 'vue'
import { h } from './h.ts'

/** For templates. */
export const Icon = defineComponent(
  (props: { readonly name: IconName; readonly filled?: boolean }) => () =>
    icon(props.name, props.filled === true),
  { name: 'Icon', props: ['name', 'filled'] },
)

/** A 16 by 16 icon; hidden from screen readers, the text beside it is read. */
export const icon = (name: IconName, filled = false): VNode =>
  h(
    'svg',
    {
      'data-tw-part': 'icon',
      'data-icon': name,
      viewBox: '0 0 16 16',
      width: '16',
      height: '16',
      fill: filled ? 'currentColor' : 'none',
      stroke: 'currentColor',
      'stroke-width': '1.5',
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
      'aria-hidden': 'true',
    },
    [h('path', { d: ICON_PATHS[name] })],
  )
