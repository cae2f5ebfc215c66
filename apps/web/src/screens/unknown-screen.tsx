/** An address that leads nowhere. */
import { followLink } from '../router.ts'
import { useStrings } from '../strings/use-strings.ts'

export function UnknownScreen() {
  const { a } = useStrings()
  return (
    <section className="notice">
      <h1>{a('unknown.title')}</h1>
      <a className="button primary" href="/" onClick={followLink}>
        {a('unknown.back')}
      </a>
    </section>
  )
}
