/** `@steersman/workspace-tools`: files, search, computing and commands as tools. */

export type { WorkspaceContext } from './files/context.js';
export { parseToolsArgs, type ToolChoice, toolsOf, workspaceTools } from './tools.js';
