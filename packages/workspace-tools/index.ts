/** `@steersman/workspace-tools`: tools for files, search, computing and commands. */

export type { WorkspaceContext } from './files/context.js';
export { dryEdit, parseToolsArgs, type ToolChoice, toolsOf, workspaceTools } from './tools.js';
