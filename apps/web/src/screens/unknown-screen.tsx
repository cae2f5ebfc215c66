/** An address that leads nowhere. */
import { followLink } from '../router.ts'
import { useWords } from '../strings/use-words.ts'

export function UnknownScreen() {
  const { a } = useWords()
  return (
    <section className="notice">
      <h1>{a('unknown.title')}</h1>
      <a className="button primary" href="/" onClick={followLink}>
        {a('unknown.back')}
      </a>
    </section>
  )
}
