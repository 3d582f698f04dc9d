/** `steersman/testing`: helpers for tests of programs that use Steersman, with any test framework. */
export { defineTool } from 'steersman/mcp';
export { byRole, roleOf } from './by-role.js';
export { startTestEnvironment } from './environment.js';
export type { ScriptedReply } from './faults.js';
export type { ChatRequest } from './model-server.js';
export { replayHistories } from './replay.js';
export { envelope, execution, intent, plan, route, verdict } from './role-outputs.js';
export { type ScriptedModel, startScriptedModel } from './scripted-model.js';
export { resultOf, runGoal, startTestTeam, type TestTeam, type TestTeamOptions } from './test-team.js';
export { startToolServer, type ToolServer } from './tool-server.js';
