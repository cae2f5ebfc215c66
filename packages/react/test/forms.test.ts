import { testClientForms } from './client-form-cases.ts'
import { testForms } from './form-cases.ts'
import { mounts } from './mounted-page.ts'
import { testQuestions } from './question-cases.ts'

testForms(mounts)
testQuestions(mounts)
testClientForms(mounts)
