/** A part of the settings under its own heading. */
import type { ReactNode } from 'react'

export interface GroupProps {
  readonly title: string
  readonly note?: string
  readonly children: ReactNode
}

export function Group({ title, note, children }: GroupProps) {
  return (
    <section className="group" aria-label={title}>
      <h2>{title}</h2>
      {note !== undefined && <p className="group-note">{note}</p>}
      {children}
    </section>
  )
}
