/** The keys that work, with what they do. */
import type { AppKey } from './strings/app-en.ts'
import { useStrings } from './strings/use-strings.ts'

const KEYS: readonly (readonly [string, AppKey])[] = [
  ['Enter', 'keys.send'],
  ['Shift Enter', 'keys.newline'],
  ['Esc', 'keys.stop'],
  ['Ctrl Shift O', 'keys.new'],
  ['Ctrl K', 'keys.palette'],
  ['/', 'keys.search'],
  ['Ctrl .', 'keys.trace'],
  ['E', 'keys.expand'],
  ['Shift E', 'keys.collapse'],
  ['?', 'keys.help'],
  ['J K', 'keys.move'],
  ['A D', 'keys.decide'],
]

export function KeyList() {
  const { a } = useStrings()
  return (
    <dl className="keys">
      {KEYS.map(([keys, words]) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map(key => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{a(words)}</dd>
        </div>
      ))}
    </dl>
  )
}
