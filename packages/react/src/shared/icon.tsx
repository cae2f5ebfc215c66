/** Icons as inline SVG: no font, no request, the color of the surrounding text. */
import { ICON_PATHS, type IconName } from '@toolwire/core/parts'

/** A 16 by 16 icon; hidden from screen readers, the text beside it is read. */
export function Icon({ name, filled = false }: { readonly name: IconName; readonly filled?: boolean }) {
  return (
    <svg
      data-tw-part="icon"
      data-icon={name}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill={filled ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={ICON_PATHS[name]} />
    </svg>
  )
}
