/**
 * The client in Node. `npm run test:clients` runs the same in Bun; browsers are covered by the tests of the web app
 * and of the examples.
 */
import { testRuntime } from './runtime-cases.ts'

testRuntime('Node', process.execPath)
