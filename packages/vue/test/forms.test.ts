import { testForms } from '../../react/test/form-cases.ts'
import { mounts } from './mounted-page.ts'

testForms(mounts)
