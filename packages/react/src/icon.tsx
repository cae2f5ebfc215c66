/** Icons as inline pictures: no font, no request, the colour of the text around them. */
import { ICON_PATHS, type IconName } from '@toolwire/core/parts'

/** One picture of 16 by 16; hidden from screen readers, the words beside it speak. */
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
