/** Request features that the AI SDK cannot express. Its provider reports its own omissions later. Pure. */
import type { ModelRequest, Warning } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core'
import { ignored, ignoredSettings, systemWarnings, toolWarnings } from '../shared/setting-warnings.ts'

/** `sent` are the call options of the request. */
export function bridgeWarnings(request: ModelRequest, sent: JsonObject): readonly Warning[] {
  const options = request.options ?? {}
  const { thinking, output_config: output } = options
  const asksEffort = ['effort', 'reasoning_effort'].some(name => typeof options[name] === 'string')
  const isSingle = request.parallel_tool_calls === false && request.tools.length > 0
  return [
    ...systemWarnings(request, 0),
    ...ignoredSettings(['logit_bias', 'verbosity', 'service_tier'], options, {}),
    ...(isObject(thinking) && thinking['type'] !== 'disabled' ? [ignored('thinking')] : []),
    ...(isObject(output) ? Object.keys(output).map(name => ignored(`output_config.${name}`)) : []),
    ...(asksEffort && sent['reasoning'] === undefined ? [ignored('effort')] : []),
    ...(isSingle ? [ignored('parallel_tool_calls')] : []),
    ...toolWarnings(request, () => true),
  ]
}
