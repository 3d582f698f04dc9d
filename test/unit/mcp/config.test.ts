// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the file's own placeholders.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadMcpConfig, type McpConfig, parseMcpConfig } from '../../../src/mcp/connection/config.js';
import { resolveServer } from '../../../src/mcp/connection/resolve-server.js';
import { SteersmanError } from '../../../src/shared/process/errors.js';

const FILE = '/project/.mcp.json';
const parse = (value: unknown) => parseMcpConfig(JSON.stringify(value), FILE);
const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof SteersmanError) return `${error.message} ${error.remedy}`;
    throw error;
  }
  throw new Error('nothing was thrown');
};
const configOf = (value: unknown): McpConfig => ({ file: FILE, dir: '/project', ...parse(value) });
function resolveOnly(server: unknown, vars: Record<string, string> = {}) {
  const config = configOf({ mcpServers: { one: server } });
  const [first] = config.servers;
  if (!first) throw new Error('no server');
  return resolveServer(first, config, { workspace: '/work space', lookup: name => vars[name] });
}

describe('.mcp.json', () => {
  const dirs: string[] = [];
  afterEach(() => {
    for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
  });
  const folder = () => {
    const dir = mkdtempSync(join(tmpdir(), 'mcp-config-'));
    dirs.push(dir);
    return dir;
  };

  it('missing file → no servers', () => {
    expect(loadMcpConfig(folder()).servers).toEqual([]);
  });

  it('T1 enabled: default true, false leaves the server out, `disabled` of other clients counts', () => {
    const { servers } = parse({
      mcpServers: {
        a: { command: 'x' },
        b: { command: 'x', enabled: false },
        c: { command: 'x', disabled: true },
        d: { type: 'stdio', command: 'x', enabled: true },
      },
    });
    expect(servers.map(server => server.name)).toEqual(['a', 'd']);
  });

  it('type: http, streamable-http, or a url alone → an http server', () => {
    const { servers } = parse({
      mcpServers: {
        a: { type: 'http', url: 'http://h/mcp' },
        b: { type: 'streamable-http', url: 'http://h/mcp', headers: { x: 'y' } },
        c: { url: 'http://h/mcp' },
      },
    });
    expect(servers.map(server => server.type)).toEqual(['http', 'http', 'http']);
  });

  it('unknown key → a warning that names it, and the server stays', () => {
    const { servers, warnings } = parse({ mcpServers: { a: { command: 'x', enable: false } } });
    expect(servers).toHaveLength(1);
    expect(warnings).toEqual([`${FILE}: mcpServers.a.enable is not a known key and is ignored.`]);
  });

  it.each<[string, unknown, string[]]>([
    ['no mcpServers', {}, [FILE, 'mcpServers']],
    ['command missing', { mcpServers: { a: { args: [] } } }, [FILE, 'mcpServers.a.command']],
    [
      'bad argument',
      { mcpServers: { a: { command: 'x', args: ['1', 2] } } },
      [FILE, 'mcpServers.a.args.1', 'string'],
    ],
    [
      'bad env',
      { mcpServers: { a: { command: 'x', env: { K: 5 } } } },
      [FILE, 'mcpServers.a.env.K', 'string'],
    ],
    [
      'unsupported type',
      { mcpServers: { a: { type: 'sse', url: 'http://h' } } },
      [FILE, 'mcpServers.a.type', '"sse"', '"http"'],
    ],
    ['http without url', { mcpServers: { a: { type: 'http' } } }, [FILE, 'mcpServers.a.url']],
    ['not an object', [], [FILE]],
  ])('bad value: %s → a message with file and path of the key', (_name, value, parts) => {
    const message = messageOf(() => parse(value));
    for (const part of parts) expect(message).toContain(part);
  });

  it.each([
    ['{\n  "mcpServers": {\n    "a": { "command": "x", }\n  }\n}', 'line 3'],
    ['{\n  "mcpServers": {\n    "a": { "command": "x" }\n', 'line 3'],
    ['{\n  "mcpServers": nonsense-sk-secret\n}', 'line 2'],
    ['', 'line 1'],
  ])('syntax error in %j → a message with file and %s, and nothing of the content', (text, line) => {
    const dir = folder();
    writeFileSync(join(dir, '.mcp.json'), text);
    const message = messageOf(() => loadMcpConfig(dir));
    expect(message).toContain(`${join(dir, '.mcp.json')}, ${line}`);
    expect(message).not.toContain('sk-secret');
  });

  it('byte order mark → read all the same', () => {
    expect(parseMcpConfig('\uFEFF{"mcpServers":{}}', FILE).servers).toEqual([]);
  });
});

describe('filling in', () => {
  it('${workspace}, ${VAR}, ${VAR:-default} → filled in once, in every text', () => {
    const server = resolveOnly(
      {
        command: 'node',
        args: ['${workspace}', '--x=${A}', '${B:-from default}', '${C:-}'],
        env: { K: '${A}' },
        cwd: 'sub/${A}',
      },
      { A: '${B}' },
    );
    expect(server).toMatchObject({
      args: ['/work space', '--x=${B}', 'from default', ''],
      env: { K: '${B}' },
      cwd: '/project/sub/${B}',
    });
  });

  it('variable not set and without default → a message with variable, server, key and file', () => {
    const message = messageOf(() =>
      resolveOnly({ type: 'http', url: 'http://h', headers: { Authorization: 'Bearer ${TOKEN}' } }),
    );
    for (const part of [FILE, 'one', 'headers.Authorization', 'TOKEN']) expect(message).toContain(part);
  });

  it('url that is none → a message with the key, without the value', () => {
    const message = messageOf(() => resolveOnly({ url: '${U}' }, { U: 'secret-not-a-url' }));
    expect(message).toContain('mcpServers.one.url');
    expect(message).not.toContain('secret-not-a-url');
  });

  it('K3 values of variables, env and headers → hidden by redact, never in the label', () => {
    const server = resolveOnly(
      { command: 'node', args: ['--token=${TOKEN}'], env: { LITERAL: 'literal-secret' } },
      { TOKEN: 'expanded-secret' },
    );
    expect(server.label).toBe('node --token=${TOKEN}');
    expect(server.redact('a literal-secret, an expanded-secret')).toBe('a ***, an ***');
    expect(resolveOnly({ url: 'http://user:pw@h/mcp?key=1' }).label).toBe('http://h/mcp');
  });

  it.each([
    ['a password', { url: 'http://me:pass-word-1@h/mcp' }, 'of http://me:pass-word-1@h/mcp, pass-word-1'],
    ['a variable in it', { url: 'http://me:${P}@h/mcp' }, 'of http://me:pa%7Css%20wd9@h/mcp, pa|ss wd9'],
    ['a value of its query', { url: 'http://h/mcp?key=query%207-x' }, 'POST /mcp?key=query%207-x, query 7-x'],
    ['a variable in its path', { url: 'http://h/${P}/mcp' }, 'at http://h/pa|ss%20wd9/mcp'],
    ['a header without its scheme', { url: 'http://h', headers: { A: 'Bearer head-9-x' } }, 'got head-9-x'],
  ])('K3 %s, as addresses and headers have them → hidden by redact', (_, entry, text) => {
    const hidden = resolveOnly(entry, { P: 'pa|ss wd9' }).redact(text);
    expect(hidden).toContain('***');
    expect(hidden).not.toMatch(/pass-word|pa\||pa%|wd9|query.*7|head-9/);
  });

  it('packaged server → found in node_modules/.bin without PATH; a relative path → in the folder of the file', () => {
    expect(resolveOnly({ command: 'mcp-server-filesystem' })).toMatchObject({
      command: expect.stringMatching(/node_modules.\.bin.mcp-server-filesystem$/),
    });
    expect(resolveOnly({ command: './server.sh' })).toMatchObject({ command: '/project/server.sh' });
    expect(resolveOnly({ command: 'some-command-on-path' })).toMatchObject({
      command: 'some-command-on-path',
    });
  });

  it('key: same settings → same; another workspace only where ${workspace} is used → other', () => {
    const config = configOf({
      mcpServers: { a: { command: 'x', args: ['${workspace}'] }, b: { command: 'x' } },
    });
    const keys = (workspace: string) =>
      config.servers.map(server => resolveServer(server, config, { workspace, lookup: () => undefined }).key);
    const [a1, b1] = keys('/one');
    const [a2, b2] = keys('/two');
    expect(a1).not.toBe(a2);
    expect(b1).toBe(b2);
    expect(a1).not.toBe(b1);
  });
});
