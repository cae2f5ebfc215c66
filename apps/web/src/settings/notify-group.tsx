/** Permission for notifications about pending items while the page is hidden. */
import { useState } from 'react'
import { playChime } from '../play-chime.ts'
import { setPreferences, usePreferences } from '../preferences.ts'
import { useStrings } from '../strings/use-strings.ts'
import { allowNotifications, canNotify } from '../use-notifications.ts'
import { Group } from './group.tsx'

/** Heard at once, so that a person knows what to listen for. */
function setSound(sound: boolean): void {
  setPreferences({ sound })
  if (sound) playChime()
}

export function NotifyGroup() {
  const { a } = useStrings()
  const { notify, sound } = usePreferences()
  const [refused, setRefused] = useState(false)
  const change = async (wanted: boolean) => {
    const granted = wanted && (await allowNotifications())
    setRefused(wanted && !granted)
    setPreferences({ notify: granted })
  }
  return (
    <Group title={a('notify.title')}>
      <label className="check">
        <input
          type="checkbox"
          checked={notify}
          disabled={!canNotify()}
          onChange={event => void change(event.target.checked)}
        />
        <span>{a('notify.label')}</span>
      </label>
      <label className="check">
        <input type="checkbox" checked={sound} onChange={event => setSound(event.target.checked)} />
        <span>{a('notify.sound')}</span>
      </label>
      {!canNotify() && <p className="group-note">{a('notify.insecure')}</p>}
      {refused && (
        <p className="error" role="alert">
          {a('notify.refused')}
        </p>
      )}
    </Group>
  )
}
