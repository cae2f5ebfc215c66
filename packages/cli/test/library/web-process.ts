/** A web process that serves and stores, and leaves the runs to another one. Prints its address. */
import { createToolwire } from '../../src/index.ts'
import { refundModel, refundTool } from './program.ts'

const toolwire = createToolwire({
  store: { postgres: process.argv[2] ?? '' },
  run: false,
  access: 'open',
  tools: [refundTool()],
  models: { refunds: refundModel() },
})
console.log(await toolwire.listen())
