/** `@steersman/mcp-server`: runs as tools of an MCP server, over stdio or HTTP. */

export { serveHttp } from './http.js';
export { KeptClient } from './kept-client.js';
export { serveStdio } from './server.js';
