/** `steersman/testing`: for tests of programs that use Steersman, with any test framework. */
export { defineTool } from '../mcp/code-tools.js';
export type { FaultName } from '../protocol-server/faults/names.js';
export type { ScriptedReply, ScriptedToolCall, ScriptedUsage } from '../protocol-server/reply.js';
export type { ChatRequest } from '../protocol-server/server.js';
export type { RecordedHistory } from '../worker/replay.js';
export { byRole, type RoleScript, roleOf } from './by-role.js';
export { startTestEnvironment, type TestEnvironmentOptions } from './environment.js';
export { replayHistories } from './replay.js';
export {
  type EnvelopeParts,
  EVERY_TASK,
  envelope,
  execution,
  intent,
  orchestration,
  type PlannedTask,
  plan,
  review,
  route,
  verdict,
} from './role-outputs.js';
export {
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from './scripted-model.js';
export {
  resultOf,
  runGoal,
  startTestTeam,
  type TestRunSettings,
  type TestTeam,
  type TestTeamOptions,
} from './test-team.js';
export { startToolServer, type ToolServer } from './tool-server.js';
