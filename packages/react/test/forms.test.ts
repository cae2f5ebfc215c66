import { testForms } from './form-cases.ts'
import { mounts } from './mounted-page.ts'

testForms(mounts)
