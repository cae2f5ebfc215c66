/** The server's models with their windows and prices. Unknown values are shown as unknown, never zero. */
import { formatTokens } from '@toolwire/core/view'
import type { ModelJson } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'

export function PriceTable({ models }: { readonly models: readonly ModelJson[] }) {
  const { a, locale } = useStrings()
  const unknown = <span className="quiet">{a('server.unknown')}</span>
  const money = (usd: number | undefined) => (usd === undefined ? unknown : formatPrice(usd, locale))
  return (
    <details className="models" open={models.length <= FEW}>
      <summary>{a('server.models_n', { n: models.length })}</summary>
      <div className="price-scroll">
        <table className="prices">
          <caption>{a('server.prices')}</caption>
          <thead>
            <tr>
              <th scope="col">{a('chat.model')}</th>
              <th scope="col">{a('server.context')}</th>
              <th scope="col">{a('server.input')}</th>
              <th scope="col">{a('server.output')}</th>
              <th scope="col">{a('server.cached')}</th>
            </tr>
          </thead>
          <tbody>
            {models.map(({ id, context, price }) => (
              <tr key={id} data-model={id}>
                <th scope="row">
                  <code>{id}</code>
                </th>
                <td>{context === undefined ? unknown : formatTokens(context, locale)}</td>
                <td>{money(price?.input)}</td>
                <td>{money(price?.output)}</td>
                <td>{money(price && (price.cache_read ?? price.input))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

/** Open by itself while it takes no more room than this. */
const FEW = 6

/** Two digits, and as many more as a small price needs. */
const formatPrice = (usd: number, locale: string): string =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: usd === 0 ? 0 : 2,
    maximumFractionDigits: 4,
  }).format(usd)
