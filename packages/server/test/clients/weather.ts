/** The tool of the client tests, and what it found. */
import { z } from 'zod'

export const CITY = z.object({ city: z.string() })

/** As the gateway's scripted model asks for it: both calls in one message, after some words. */
export const PARALLEL = 'say wait and call weather@Paris, weather@Oslo'
export const FOUND = 'got sunny in Paris | sunny in Oslo'

export interface WeatherLog {
  readonly run: (input: { city: string }) => string
  /** The cities that were asked for, in order. */
  readonly asked: readonly string[]
}

export function createWeather(): WeatherLog {
  const asked: string[] = []
  return {
    asked,
    run({ city }) {
      asked.push(city)
      return `sunny in ${city}`
    },
  }
}
