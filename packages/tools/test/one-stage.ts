/** A stage for each test of a file, closed after it. */
import { afterEach } from 'vitest'
import { createStage, type Stage, type StageOptions } from './stage.ts'

/** To be called once, at the top of a file; what it returns opens the stage of the test that runs. */
export function oneStage(): (options: StageOptions) => Stage {
  let stage: Stage | undefined
  afterEach(() => {
    stage?.close()
    stage = undefined
  })
  return options => {
    stage = createStage(options)
    return stage
  }
}
