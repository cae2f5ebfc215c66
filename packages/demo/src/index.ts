export { createDemoModel, type DemoModelOptions } from './demo/demo-model.ts'
export type { Fault, FaultName } from './fake-upstream/faults.ts'
export {
  type FakeRequest,
  type FakeUpstream,
  type FakeUpstreamOptions,
  startFakeUpstream,
} from './fake-upstream/start.ts'
export { createRecorder, type Recorder, type RecordingOptions } from './record/recording-fetch.ts'
export { createReplayModel, replayModels } from './record/replay-model.ts'
export { loadScenario, parseScenario, type ScenarioOptions } from './scenario/load-scenario.ts'
export type { Scenario } from './scenario/schema.ts'
