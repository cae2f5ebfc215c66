/** The official Python clients of OpenAI and Anthropic, in the same network as the agents. */
import { testPythonSdks } from '../test/clients/python-sdks.ts'

testPythonSdks()
