import { testCopying } from '../../react/test/copy-cases.ts'
import { mounts } from './mounted-page.ts'

testCopying(mounts)
