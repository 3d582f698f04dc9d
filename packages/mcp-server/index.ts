/** `@steersman/mcp-server`: offers runs as tools of an MCP server, over stdio or HTTP. */

export { serveHttp } from './http.js';
export { serveStdio } from './server.js';
export { SharedClient } from './tools/shared-client.js';
