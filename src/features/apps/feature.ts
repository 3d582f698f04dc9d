/** Apps of tools: pages that show results, and that may request calls of their server's tools (MCP Apps). */
import { isRecord } from '../../base/json/json.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { type Feature, type Read, update } from '../../workflows/beside/feature.js';
import { bounded, ENDED, LOADING } from '../../workflows/inbox/read-input.js';
import { callToolUpdate } from '../../workflows/run/definitions.js';
import type { Run } from '../../workflows/run/run.js';
import {
  appCallFault,
  closeAppCalls,
  isServingApp,
  pendingAppCalls,
  resumeAppCalls,
  takeAppCall,
} from './calls.js';
import { type AppAsk, appTool, appUse, withShown } from './rules.js';

export const apps: Feature<Run> = {
  name: 'apps',
  slice: appUse,
  updates: [
    update({
      definition: callToolUpdate,
      read: appCallReader,
      act: (run, { ask, tool }) => takeAppCall(run, ask, tool),
      description:
        'A call of a tool that the app of a call asks for: {"of": "c12", "tool": "…", "arguments": {}}. Its permission is asked for as always; the event app_call_ended has what came of it.',
    }),
  ],
  argumentsOf: (state, callId) => appUse.of(state).calls.find(call => call.callId === callId)?.input ?? null,
  segmentBegins: resumeAppCalls,
  afterResult: ({ state }, { callId, result: { app } }) => {
    if (app?.page !== undefined) appUse.set(state, withShown(appUse.of(state), callId, app.server));
  },
  isBusy: isServingApp,
  comesToRest: pendingAppCalls,
  ended: closeAppCalls,
};

/** Reads an app's request, with the tool that it names. */
export function appCallReader(run: Run): (input: unknown) => Read<{ ask: AppAsk; tool: ToolDefinition }> {
  const { state, memory } = run;
  return bounded(input => {
    const { of, tool: name, arguments: args = {} } = isRecord(input) ? input : {};
    if (typeof of !== 'string' || typeof name !== 'string' || !isRecord(args))
      return { error: 'Give { "of", "tool", "arguments" }: the call whose app asks, and what it asks for.' };
    if (state.end !== null || state.people.stop !== null || memory.isResting) return { error: ENDED };
    if (state.pinned === null) return { error: LOADING };
    if (state.people.pausedAt !== null)
      return { error: 'The run is paused: nothing begins before it goes on.' };
    const ask = { of, tool: name, input: args };
    const found = appTool(appUse.of(state), state.pinned.tools, ask, run.ports.now());
    if ('fault' in found) return { error: found.fault };
    const fault = appCallFault(run, found.tool, args);
    return fault === null ? { ok: { ask, tool: found.tool } } : { error: fault };
  });
}
