/** The shape of a call's state. */
import { Icon, STATE_ICONS } from '@toolwire/react'

export const StateIcon = ({ state }: { readonly state: string }) => (
  <Icon name={STATE_ICONS[state as keyof typeof STATE_ICONS] ?? 'ring'} />
)
