/** The client of this project, unbuilt, in Bun. */
import { join } from 'node:path'
import { testRuntime } from '../../client/test/runtime-cases.ts'
import { bun } from './bun.ts'
import { programOf } from './installed.ts'

testRuntime('Bun', join(process.env['TOOLWIRE_CLIENTS'] ?? '', programOf(bun)))
