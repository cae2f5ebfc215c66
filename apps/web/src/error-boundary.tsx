/** A bug on one screen leaves the rest of the app standing. */
import { Component, type ReactNode } from 'react'
import { useStrings } from './strings/use-strings.ts'

interface Props {
  readonly children: ReactNode
}

export class ErrorBoundary extends Component<Props, { readonly error: Error | undefined }> {
  override state: { readonly error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render(): ReactNode {
    return this.state.error ? <Problem error={this.state.error} /> : this.props.children
  }
}

function Problem({ error }: { readonly error: Error }) {
  const { a } = useStrings()
  return (
    <section className="notice" role="alert">
      <h1>{a('error.lost')}</h1>
      <pre>{error.message}</pre>
      <button type="button" className="button primary" onClick={() => location.reload()}>
        {a('error.reload')}
      </button>
    </section>
  )
}
