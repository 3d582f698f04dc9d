import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whatItBrings } from '../../../src/client/verbs/trusted-dir.js';
import { projectRoot } from '../../../src/shared/package.js';
import { trustFile } from '../../../src/stack/home.js';
import { isTrusted, trustForNow, trustFrom } from '../../../src/stack/trust.js';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steersman-trust-'));
  vi.stubEnv('XDG_STATE_HOME', join(dir, 'state'));
});
afterEach(() => vi.unstubAllEnvs());

/** A folder whose configuration would leave a mark. */
function folder(name: string): string {
  const made = join(dir, name);
  mkdirSync(made);
  servers(made, 'touch', join(dir, 'started'));
  return made;
}

function servers(of: string, command: string, ...args: string[]): void {
  writeFileSync(join(of, '.mcp.json'), JSON.stringify({ mcpServers: { notes: { command, args } } }));
}

function tools(of: string, file: string): void {
  mkdirSync(join(of, 'tools', 'lib'), { recursive: true });
  writeFileSync(join(of, 'tools', file), 'export const tool = {};');
}

const HOME = 'models: { default: home/a, endpoints: { home: { baseUrl: http://localhost:8000/v1 } } }\n';

function settings(of: string, yaml: string): void {
  writeFileSync(join(of, 'steersman.yaml'), yaml);
}

/** Of another process: this one knows what it was told itself. */
function trustedElsewhere(of: string): boolean {
  const trust = JSON.stringify(join(projectRoot, 'dist/stack/trust.js'));
  const script = `import { isTrusted } from ${trust}; process.stdout.write(String(isTrusted(${JSON.stringify(of)})))`;
  const args = ['--input-type=module', '-e', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: process.env });
  expect(stderr).toBe('');
  return stdout === 'true';
}

test('trust: a folder of somebody → not before it was said, then for every process of this user, others as before (TR2)', () => {
  const [one, two] = [folder('one'), folder('two')];
  expect([isTrusted(one), isTrusted(two)]).toEqual([false, false]);
  trustFrom(one);
  expect([trustedElsewhere(one), trustedElsewhere(two)]).toEqual([true, false]);
  expect(statSync(trustFile()).mode & 0o077).toBe(0);
  trustFrom(two);
  expect([trustedElsewhere(one), trustedElsewhere(two)]).toEqual([true, true]);
});

test.each([
  ['its .mcp.json', false, (of: string) => servers(of, 'rm', '-rf', '/')],
  ['an endpoint', false, (of: string) => settings(of, HOME.replace('localhost', 'elsewhere'))],
  ['the default model', false, (of: string) => settings(of, HOME.replace('home/a', 'openai/b'))],
  ['its models, to what can not be read', false, (of: string) => settings(of, `${HOME}: [`)],
  ['its tools', false, (of: string) => tools(of, 'ours.mjs')],
  ['what its tools load', false, (of: string) => tools(of, 'lib/ours.mjs')],
  ['its limits', true, (of: string) => settings(of, `limits: { planning: 2 }\n${HOME}`)],
  ['a comment on its models', true, (of: string) => settings(of, `# At home.\n${HOME}`)],
])('trust: %s changed → trusted as before: %s', (_, trusted, change) => {
  const one = folder('one');
  settings(one, HOME);
  trustFrom(one);
  expect(trustedElsewhere(one)).toBe(true);
  change(one);
  expect(trustedElsewhere(one)).toBe(trusted);
});

test('trust: the package’s own defaults → never asked for', () => {
  expect(isTrusted(projectRoot)).toBe(true);
});

test('trust: the address of an endpoint in .env changes → asked again; another key is not asked about', () => {
  const one = folder('one');
  const write = (key: string, url: string) =>
    writeFileSync(join(one, '.env'), `OPENAI_API_KEY=${key}\nOPENAI_BASE_URL=${url}\n`);
  write('a', 'http://a/v1');
  trustFrom(one);
  write('b', 'http://a/v1');
  expect(trustedElsewhere(one)).toBe(true);
  write('b', 'http://b/v1');
  expect(trustedElsewhere(one)).toBe(false);
});

test('trust: a folder that was named → for this process, remembered by nobody', () => {
  const one = folder('one');
  trustForNow(one);
  expect(isTrusted(one)).toBe(true);
  expect(trustedElsewhere(one)).toBe(false);
});

test('trust: what is asked → names each program with its arguments', () => {
  expect(whatItBrings(folder('one')).join('\n')).toContain(`notes: touch ${join(dir, 'started')}`);
});

test.each([['start', 'A goal'], ['A goal'], ['doctor'], ['worker'], ['dev']])(
  'trust: %s in such a folder, and nobody can be asked → refused with what to do, nothing is started or read',
  (...args) => {
    const one = folder('one');
    writeFileSync(join(one, '.env'), `STEERSMAN_HOME=${join(dir, 'their-home')}\n`);
    const home = join(dir, 'home');
    const inherited = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|INIT_CWD)/.test(name));
    const { status, stderr } = spawnSync(process.execPath, [join(projectRoot, 'dist/cli.js'), ...args], {
      encoding: 'utf8',
      cwd: one,
      env: { ...Object.fromEntries(inherited), STEERSMAN_HOME: home },
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`--config ${one}`) });
    expect(() => statSync(join(dir, 'started'))).toThrow('ENOENT');
    expect(() => statSync(home)).toThrow('ENOENT');
    expect(() => readFileSync(trustFile())).toThrow('ENOENT');
  },
);
