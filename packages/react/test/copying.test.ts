import { testCopying } from './copy-cases.ts'
import { mounts } from './mounted-page.ts'

testCopying(mounts)
