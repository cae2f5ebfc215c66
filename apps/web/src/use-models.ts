/** The models of the server, read once per page, and again for one that was not listed or when keys changed. */
import { useEffect, useState } from 'react'
import { type ModelJson, serverApi } from './server-api.ts'

const NONE: readonly ModelJson[] = []
let models: readonly ModelJson[] = NONE
const asked = new Map<string, Promise<readonly ModelJson[]>>()

/** All that is known so far; `wanted` is asked for when it is not among them. Never fails: without an answer it is empty. */
export function useModels(wanted: string): readonly ModelJson[] {
  const [known, setKnown] = useState(models)
  useEffect(() => {
    if (wanted === '' || models.some(({ id }) => id === wanted)) {
      setKnown(models)
      return
    }
    let over = false
    void readModels(wanted).then(read => {
      if (!over) setKnown(read)
    })
    return () => {
      over = true
    }
  }, [wanted])
  return known
}

/** The context window of a model; undefined if unknown. */
export const useContextWindow = (model: string): number | undefined =>
  useModels(model).find(({ id }) => id === model)?.context

/** To be called when the models of the server may have changed. */
export function forgetModels(): void {
  models = NONE
  asked.clear()
}

function readModels(wanted: string): Promise<readonly ModelJson[]> {
  const before = asked.get(wanted)
  if (before) return before
  const reading = serverApi.models(wanted).then(
    answer => {
      models = [...new Map([...models, ...answer.models].map(model => [model.id, model])).values()]
      return models
    },
    () => {
      // The next one who needs it tries again.
      asked.delete(wanted)
      return models
    },
  )
  asked.set(wanted, reading)
  return reading
}
