// A tool server with an app (MCP Apps), over stdio: its page is the file APP_HTML, what happens is logged to APP_LOG.
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { APP_HTML = '', APP_LOG = '', APP_CSP = '{}', APP_MIME = 'text/html;profile=mcp-app' } = process.env;
const log = line => APP_LOG && appendFileSync(APP_LOG, `${JSON.stringify(line)}\n`);
const readOnlyHint = true;
const inputSchema = { type: 'object', properties: { text: { type: 'string' } } };

const tools = [
  {
    name: 'board',
    description: 'Shows the board.',
    inputSchema,
    annotations: { readOnlyHint },
    _meta: { ui: { resourceUri: 'ui://board/page' } },
  },
  {
    name: 'tick',
    description: 'For the board alone.',
    inputSchema,
    annotations: { readOnlyHint },
    _meta: { ui: { visibility: ['app'] } },
  },
  {
    name: 'note',
    description: 'Writes a note.',
    inputSchema,
    annotations: { destructiveHint: false },
    _meta: { ui: { visibility: ['model', 'app'] } },
  },
  {
    name: 'secret',
    description: 'For models alone.',
    inputSchema,
    annotations: { readOnlyHint },
    _meta: { ui: { visibility: ['model'] } },
  },
];

const page = uri => ({
  contents: [
    {
      uri,
      mimeType: APP_MIME,
      text: readFileSync(APP_HTML, 'utf8'),
      _meta: { ui: { csp: JSON.parse(APP_CSP) } },
    },
  ],
});

const answers = {
  initialize: ({ protocolVersion, capabilities }) => {
    log({ event: 'hello', capabilities });
    const serverInfo = { name: 'apps', version: '1' };
    return { protocolVersion, serverInfo, capabilities: { tools: {}, resources: {} } };
  },
  'tools/list': () => ({ tools }),
  'resources/list': () => ({ resources: [{ uri: 'ui://board/page', name: 'board' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => page(uri),
  'tools/call': ({ name, arguments: args }) => {
    log({ event: 'call', tool: name, args });
    return {
      content: [{ type: 'text', text: `${name} says ${args.text ?? 'nothing'}` }],
      structuredContent: { tool: name, text: args.text ?? null, rows: [1, 2, 3] },
      _meta: { forTheApp: 'only' },
    };
  },
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const error = { code: -32601, message: `no method ${method}` };
  const rest = answer ? { result: answer(params) } : { error };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...rest })}\n`);
}
