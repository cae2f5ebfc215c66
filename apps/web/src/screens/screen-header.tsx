/** The line on top of every screen, with the way to the menu where there is no sidebar. */
import type { ReactNode } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { useStrings } from '../strings/use-strings.ts'

export interface ScreenHeaderProps {
  readonly title: ReactNode
  readonly onMenu: () => void
  readonly children?: ReactNode
}

export function ScreenHeader({ title, onMenu, children }: ScreenHeaderProps) {
  const { a } = useStrings()
  return (
    <header className="screen-header">
      <button type="button" className="icon-button menu-button" aria-label={a('nav.menu')} onClick={onMenu}>
        <AppIcon name="menu" />
      </button>
      <h1>{title}</h1>
      <span className="screen-tools">{children}</span>
    </header>
  )
}
