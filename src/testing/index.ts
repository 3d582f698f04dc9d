/** `steersman/testing`: for tests of programs that use Steersman, with any test framework. */
export { defineTool } from '../mcp/code-tools.js';
export type { RecordedHistory } from '../worker/replay.js';
export { byRole, type RoleScript, roleOf } from './by-role.js';
export { startTestEnvironment, type TestEnvironmentOptions } from './environment.js';
export type { FaultName, ScriptedReply } from './faults.js';
export type { ChatRequest } from './model-server.js';
export { replayHistories } from './replay.js';
export {
  type EnvelopeParts,
  EVERY_TASK,
  envelope,
  execution,
  intent,
  type PlannedTask,
  plan,
  route,
  verdict,
} from './role-outputs.js';
export {
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from './scripted-model.js';
export type { PlainReply, ScriptedToolCall, ScriptedUsage } from './scripted-reply.js';
export {
  resultOf,
  runGoal,
  startTestTeam,
  type TestRunSettings,
  type TestTeam,
  type TestTeamOptions,
} from './test-team.js';
export { startToolServer, type ToolServer } from './tool-server.js';
