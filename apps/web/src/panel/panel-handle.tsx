/** The edge of the side panel: dragged by a pointer, or moved by the arrow keys. */
import { type KeyboardEvent, type PointerEvent, useLayoutEffect } from 'react'
import { setPreferences, usePreferences } from '../preferences.ts'
import { useStrings } from '../strings/use-strings.ts'

const LEAST = 320
const MOST = 640
const STEP = 24

const bounded = (width: number): number => Math.round(Math.min(MOST, Math.max(LEAST, width)))

export function PanelHandle() {
  const { a } = useStrings()
  const { panelWidth } = usePreferences()
  useLayoutEffect(() => {
    document.documentElement.style.setProperty('--panel-width', `${bounded(panelWidth)}px`)
  }, [panelWidth])
  const onMove = ({ buttons, clientX, currentTarget, pointerId }: PointerEvent<HTMLElement>) => {
    if (buttons !== 1 || !currentTarget.hasPointerCapture(pointerId)) return
    setPreferences({ panelWidth: bounded(window.innerWidth - clientX) })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowLeft' ? STEP : event.key === 'ArrowRight' ? -STEP : 0
    if (step === 0) return
    event.preventDefault()
    setPreferences({ panelWidth: bounded(panelWidth + step) })
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      className="panel-handle"
      role="separator"
      aria-orientation="vertical"
      aria-label={a('panel.width')}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={bounded(panelWidth)}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onMove}
    />
  )
}
