/** The official Python clients of OpenAI and Anthropic, where `npm run test:clients` has brought them. */
import { testPythonSdks } from './python-sdks.ts'

testPythonSdks()
