/** The meaning of a rule, queried from the server while the user types. Nothing is stored. */
import { useEffect, useState } from 'react'
import { type RuleJson, type RuleMeaningJson, serverApi } from '../server-api.ts'
import { errorText } from '../use-loaded.ts'

export interface AskedMeaning {
  /** Of exactly this text and decision; undefined until the server has answered. */
  readonly told: RuleMeaningJson | undefined
  /** The server's error for the rule; '' without one. */
  readonly error: string
}

const NOTHING: AskedMeaning = { told: undefined, error: '' }
/** Debounce between two keys. */
const PAUSE_MS = 250

export function useRuleMeaning(
  rule: string,
  decision: RuleJson['decision'],
  session: string | undefined,
): AskedMeaning {
  const [state, setState] = useState<AskedMeaning & { readonly of: string }>({ ...NOTHING, of: '' })
  const wanted = `${decision} ${rule}`
  useEffect(() => {
    if (rule === '') return
    let over = false
    const put = (asked: AskedMeaning) => {
      if (!over) setState({ ...asked, of: `${decision} ${rule}` })
    }
    const timer = setTimeout(() => {
      serverApi.explainRule(rule, decision, session).then(
        told => put({ told, error: '' }),
        (thrown: unknown) => put({ told: undefined, error: errorText(thrown) }),
      )
    }, PAUSE_MS)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [rule, decision, session])
  return state.of === wanted && rule !== '' ? state : NOTHING
}
