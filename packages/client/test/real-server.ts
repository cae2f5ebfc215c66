/** The real command, started before the tests of a file and stopped after them. */
import { afterAll, beforeAll } from 'vitest'
import { inFolder, launch } from '../../cli/test/launch.ts'

/** Its address, once the tests run. It has a temporary folder, which is removed with it. */
export function realServer(): () => string {
  let url = ''
  const over = Promise.withResolvers<void>()
  let served: Promise<void> | undefined
  beforeAll(async () => {
    const ready = Promise.withResolvers<void>()
    served = inFolder(async dir => {
      const server = await launch(dir, ['--port', '0', '--data', `${dir}/data`])
      url = server.url
      ready.resolve()
      await over.promise
      await server.stop()
    })
    // A server that does not start ends the wait with its own words.
    await Promise.race([ready.promise, served])
  })
  afterAll(async () => {
    over.resolve()
    await served
  })
  return () => url
}
