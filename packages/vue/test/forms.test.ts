import { testClientForms } from '../../react/test/client-form-cases.ts'
import { testForms } from '../../react/test/form-cases.ts'
import { testQuestions } from '../../react/test/question-cases.ts'
import { mounts } from './mounted-page.ts'

testForms(mounts)
testQuestions(mounts)
testClientForms(mounts)
