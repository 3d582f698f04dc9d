/** `steersman/mcp`: tool servers, and tools that are functions. */

export { loadMcpConfig, type McpConfig, type McpServerConfig } from './connection/config.js';
export { McpConnection } from './connection/connection.js';
export { McpPool, type McpPoolOptions } from './connection/pool.js';
export type { ToolsHere } from './connection/resolve-server.js';
export { type ExpandedPrompt, expandPrompt, listPrompts, promptUsage, type ServerPrompt } from './prompts.js';
export {
  CODE_SERVER,
  COMMAND_META,
  type CodeTool,
  codeToolServer,
  defineTool,
  Parts,
  type ToolContext,
} from './tools/code-tools.js';
export { loadToolFiles } from './tools/tool-files.js';
export { listRunTools, runToolNamer } from './tools.js';
