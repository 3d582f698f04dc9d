// A real MCP server for tests, over stdio (default) or streamable HTTP (`--http [port]`; 0 or none picks one).
// It runs without a build step. What it does is configured by environment variables:
//   FAKE_MCP_LOG       file that gets one JSON line for each call and each effect: the proof outside the run
//   FAKE_MCP_GATES     folder where `slow` and `append_slow` wait for a file named by their `gate` argument
//   FAKE_MCP_HIDDEN    a tool that is not listed, and answers all the same
//   FAKE_MCP_ONLY      names of the tools that are listed, with commas between; default: all
//   FAKE_MCP_TOOLS     so many tools more in the list
//   FAKE_MCP_PAGE      tools a page of tools/list; default: all in one
//   FAKE_MCP_FAIL      text: the server writes it to stderr and exits with code 3 instead of starting
//   FAKE_MCP_FAIL_FILE  a file: while it exists, the server does as FAKE_MCP_FAIL says with its content
//   FAKE_MCP_TOKEN     bearer token that HTTP requests must carry
//   FAKE_MCP_DELAY_MS  waits so long before it answers the handshake
// It writes its port as `listening on <port>` to stderr in HTTP mode.
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  isInitializeRequest,
  ListPromptsRequestSchema,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';

const env = process.env;
const GATE_POLL_MS = 20;
// A red pixel.
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

const readOnly = { readOnlyHint: true, openWorldHint: false };
const effect = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };

const text = value => ({ content: [{ type: 'text', text: value }] });
const object = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const string = { type: 'string' };

let remembered = 'nothing';

/** name → { schema, annotations, run(args, context) }. */
const tools = {
  echo: { schema: object({ text: string }), annotations: readOnly, run: ({ text: said }) => text(said) },
  slow: {
    description: 'Waits until its gate opens.',
    schema: object({ gate: string }),
    annotations: readOnly,
    async run({ gate }, { signal }) {
      await gateOpened(gate, signal);
      return text(`done: ${gate}`);
    },
  },
  append_line: {
    schema: object({ file: string, line: string }),
    annotations: effect,
    run({ file, line }, { record }) {
      appendFileSync(file, `${line}\n`);
      record('effect');
      return text('appended');
    },
  },
  append_slow: {
    description: 'Has its effect first, then waits until its gate opens.',
    schema: object({ file: string, line: string, gate: string }),
    annotations: effect,
    async run({ file, line, gate }, { record, signal }) {
      appendFileSync(file, `${line}\n`);
      record('effect');
      await gateOpened(gate, signal);
      return text('appended');
    },
  },
  fail: {
    schema: object({}),
    annotations: readOnly,
    run: () => ({ ...text('the tool failed on purpose'), isError: true }),
  },
  crash: {
    schema: object({}),
    annotations: effect,
    run(_args, { record }) {
      record('effect');
      process.stderr.write('crashing on purpose\n');
      process.exit(7);
    },
  },
  crash_read_only: {
    schema: object({}),
    annotations: readOnly,
    run: () => process.exit(7),
  },
  big: {
    description: 'Lines of 64 bytes, with numbers, as many KB as asked for.',
    schema: object({ kilobytes: { type: 'integer', minimum: 1 } }),
    annotations: readOnly,
    run: ({ kilobytes }) => text(bigText(kilobytes)),
  },
  many: {
    description: 'Many text parts of 8 KB.',
    schema: object({ parts: { type: 'integer' } }),
    annotations: readOnly,
    run: ({ parts }) => ({
      content: Array.from({ length: parts }, (_, i) => ({
        type: 'text',
        text: `part ${i} ${'x'.repeat(8_000)}`,
      })),
    }),
  },
  picture: {
    schema: object({}),
    annotations: readOnly,
    run: () => ({
      content: [
        { type: 'text', text: 'a pixel' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
      ],
    }),
  },
  sound: {
    schema: object({}),
    annotations: readOnly,
    run: () => ({ content: [{ type: 'audio', data: PNG, mimeType: 'audio/wav' }] }),
  },
  resources: {
    schema: object({}),
    annotations: readOnly,
    run: () => ({
      content: [
        { type: 'resource', resource: { uri: 'test://text', mimeType: 'text/plain', text: 'inside' } },
        { type: 'resource', resource: { uri: 'test://blob', blob: PNG } },
        { type: 'resource_link', uri: 'test://link', name: 'link', description: 'a link' },
      ],
    }),
  },
  structured: {
    schema: object({}),
    annotations: readOnly,
    run: () => ({ content: [{ type: 'text', text: 'two items' }], structuredContent: { items: ['a', 'b'] } }),
  },
  structured_twice: {
    schema: object({}),
    annotations: readOnly,
    run: () => ({ ...text(JSON.stringify({ items: [1] })), structuredContent: { items: [1] } }),
  },
  no_annotations: { schema: object({}), run: () => text('plain') },
  no_schema: { schema: { type: 'object' }, annotations: readOnly, run: args => text(JSON.stringify(args)) },
  idempotent_put: {
    schema: object({ file: string, content: string }),
    annotations: { readOnlyHint: false, idempotentHint: true },
    run({ file, content }, { record }) {
      writeFileSync(file, content);
      record('effect');
      return text('put');
    },
  },
  progress: {
    description: 'Tells its progress, then waits until its gate opens.',
    schema: object({ gate: string }),
    annotations: readOnly,
    async run({ gate }, { notifyProgress, signal }) {
      await notifyProgress({ progress: 1, total: 2, message: 'halfway' });
      await gateOpened(gate, signal);
      return text('done');
    },
  },
  add_tool: {
    description: 'Adds a tool named `added` and says that the list changed.',
    schema: object({}),
    annotations: effect,
    async run(_args, { server }) {
      tools.added = { schema: object({}), annotations: readOnly, run: () => text('added') };
      await server.sendToolListChanged();
      return text('ok');
    },
  },
  order: {
    description:
      'Asks the person which size, so many times, and tells the last answer. `notes`: so many fields more; `patienceMs`: the first question is taken back after it.',
    schema: object(
      {
        message: string,
        times: { type: 'integer' },
        notes: { type: 'integer' },
        patienceMs: { type: 'integer' },
        title: string,
      },
      [],
    ),
    annotations: effect,
    async run(
      { message = 'Which size?', times = 1, notes = 0, patienceMs, title = 'Size' },
      { server, signal, record, requestId },
    ) {
      const size = { type: 'integer', title, minimum: 1 };
      const more = Object.fromEntries(
        Array.from({ length: notes }, (_, at) => [
          `note${at + 1}`,
          { type: 'string', title: `Note ${at + 1}` },
        ]),
      );
      const requestedSchema = { type: 'object', properties: { size, ...more }, required: ['size'] };
      let answer = null;
      for (let n = 1; n <= times; n++) {
        record('asked');
        // Over HTTP it comes with what carries the answer of the call.
        const timeout = (n === 1 && patienceMs) || 600_000;
        const options = { signal, timeout, relatedRequestId: requestId };
        answer = await server.elicitInput({ message, requestedSchema }, options).catch(error => {
          if (timeout !== patienceMs) throw error;
        });
      }
      return text(JSON.stringify(answer));
    },
  },
  remember: {
    description: 'Keeps a text in this process.',
    schema: object({ text: string }),
    annotations: effect,
    run({ text: said }) {
      remembered = said;
      return text('kept');
    },
  },
  recall: {
    description: 'The text that this process keeps, when its gate opens.',
    schema: object({ gate: string }, []),
    annotations: readOnly,
    async run({ gate }, { signal }) {
      if (gate) await gateOpened(gate, signal);
      return text(remembered);
    },
  },
  odd_name_: { schema: object({}), annotations: readOnly, run: () => text('plain name') },
  'odd.name!': { schema: object({}), annotations: readOnly, run: () => text('odd name') },
  refuse: {
    schema: object({ code: { type: 'integer' }, characters: { type: 'integer' } }),
    annotations: readOnly,
    run({ code = ErrorCode.InternalError, characters = 0 }) {
      throw new McpError(code, `refused on purpose${'!'.repeat(characters)}`);
    },
  },
};

const says = (role, content) => ({ role, content });
const said = value => ({ type: 'text', text: value });

/** name → { description, arguments, messages(args) }. */
const prompts = {
  review: {
    description: 'Reviews a \u001b[31mfile\u001b[0m.',
    arguments: [{ name: 'file', description: 'Its path.', required: true }, { name: 'tone' }],
    messages: ({ file, tone = 'kind' }) => [
      says('user', said(`Review ${file}\u001b]0;owned\u0007, in a ${tone} tone.`)),
      says('user', { type: 'image', data: PNG, mimeType: 'image/png' }),
      says('user', { type: 'resource', resource: { uri: 'file:///notes', text: 'notes' } }),
    ],
  },
  talk: {
    messages: () => [says('user', said('What is best?')), says('assistant', said('It depends.'))],
  },
  command: { messages: () => [says('user', said('/yes to all'))] },
  long: { messages: () => [says('user', said('é'.repeat(8_193)))] },
  empty: { messages: () => [] },
  'two words': { messages: () => [says('user', said('never'))] },
};

function bigText(kilobytes) {
  const lines = [];
  for (let i = 0; i < kilobytes * 16; i++)
    lines.push(`line ${String(i).padStart(8, '0')} ${'é'.repeat(24)} `.padEnd(39, '.').slice(0, 39));
  return lines.join('\n');
}

async function gateOpened(gate, signal) {
  const file = join(env.FAKE_MCP_GATES ?? '.', gate);
  while (!existsSync(file)) await sleep(GATE_POLL_MS, undefined, { signal });
}

function log(entry) {
  if (env.FAKE_MCP_LOG)
    appendFileSync(env.FAKE_MCP_LOG, `${JSON.stringify({ at: Date.now(), pid: process.pid, ...entry })}\n`);
}

function createMcpServer() {
  const server = new Server(
    { name: 'fake', version: '1.0.0' },
    {
      capabilities: { tools: { listChanged: true }, prompts: {} },
      instructions: 'A server for tests.',
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const only = env.FAKE_MCP_ONLY?.split(',');
    const listed = Object.entries(tools).filter(
      ([name]) => name !== env.FAKE_MCP_HIDDEN && (only?.includes(name) ?? true),
    );
    const all = listed.map(([name, tool]) => ({
      name,
      description: tool.description ?? `The tool ${name}.`,
      inputSchema: tool.schema,
      ...(tool.annotations ? { annotations: tool.annotations } : {}),
    }));
    for (let n = 1; n <= Number(env.FAKE_MCP_TOOLS ?? 0); n++) all.push({ ...all[0], name: `more_${n}` });
    const size = Number(env.FAKE_MCP_PAGE ?? all.length);
    const from = Number(params?.cursor ?? 0);
    const nextCursor = from + size < all.length ? { nextCursor: String(from + size) } : {};
    return { tools: all.slice(from, from + size), ...nextCursor };
  });
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => {
    const names = Object.keys(prompts);
    const at = Number(params?.cursor ?? 0);
    const { messages: _, ...prompt } = prompts[names[at]];
    const nextCursor = at + 1 < names.length ? { nextCursor: String(at + 1) } : {};
    return { prompts: [{ name: names[at], ...prompt }], ...nextCursor };
  });
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: prompts[params.name].messages(params.arguments ?? {}),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args = {}, _meta } = params;
    const tool = tools[name];
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
    const record = event => log({ event, tool: name, args, _meta });
    record('call');
    extra.signal.addEventListener('abort', () => record('cancelled'));
    const notifyProgress = params =>
      extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken: _meta?.progressToken, ...params },
      });
    const { signal, requestId } = extra;
    return tool.run(args, { record, notifyProgress, server, signal, requestId });
  });
  return server;
}

async function serveHttp(port) {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    if (env.FAKE_MCP_TOKEN && request.headers.authorization !== `Bearer ${env.FAKE_MCP_TOKEN}`) {
      response.writeHead(401).end('no valid token');
      return;
    }
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport && isInitializeRequest(body)) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: id => sessions.set(id, transport),
      });
      await createMcpServer().connect(transport);
    }
    if (!transport) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null }),
      );
      return;
    }
    await transport.handleRequest(request, response, body);
  });
  http.listen(port, '127.0.0.1', () => process.stderr.write(`listening on ${http.address().port}\n`));
}

if (env.FAKE_MCP_FAIL) {
  process.stderr.write(`${env.FAKE_MCP_FAIL}\n`);
  process.exit(3);
}
// Read once at start, so that a test can change how the next process behaves.
if (env.FAKE_MCP_FAIL_FILE && existsSync(env.FAKE_MCP_FAIL_FILE)) {
  process.stderr.write(readFileSync(env.FAKE_MCP_FAIL_FILE));
  process.exit(3);
}
if (env.FAKE_MCP_DELAY_MS) await sleep(Number(env.FAKE_MCP_DELAY_MS));
log({ event: 'start' });
const httpFlag = process.argv.indexOf('--http');
if (httpFlag >= 0) await serveHttp(Number(process.argv[httpFlag + 1] ?? 0));
else await createMcpServer().connect(new StdioServerTransport());
