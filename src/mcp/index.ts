/** `steersman/mcp`: tool servers, and tools that are functions. */

export {
  CODE_SERVER,
  type CodeTool,
  codeToolServer,
  defineTool,
  Parts,
  type ToolContext,
} from './code-tools.js';
export { loadMcpConfig, type McpConfig, type McpServerConfig } from './config.js';
export { McpConnection } from './connection/connection.js';
export { McpPool, type McpPoolOptions } from './connection/pool.js';
export { type ExpandedPrompt, expandPrompt, listPrompts, promptUsage, type ServerPrompt } from './prompts.js';
export type { ToolsHere } from './resolve-server.js';
export { loadToolFiles } from './tool-files.js';
export { listRunTools, runToolNamer } from './tools.js';
