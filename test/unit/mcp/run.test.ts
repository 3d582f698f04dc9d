/** Commands of models: what a permission covers, and what may outlive a command, see keys or cost the worker. */
import { randomInt } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runTool } from '../../../packages/workspace-tools/run.js';
import type { ToolContext } from '../../../src/mcp/tools/code-tools.js';
import { decidePermission } from '../../../src/run/tools/permission.js';
import { DEFAULT_TOOL_POLICY } from '../../../src/run/tools/tool.js';
import { until } from '../../support/wait.js';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'run-')));
const KEY = 'sk-live-1234567890abcdef';
beforeAll(() => {
  vi.stubEnv('OPENAI_API_KEY', KEY);
  vi.stubEnv('STEERSMAN_MCP_TOKEN', KEY);
  vi.stubEnv('DATABASE_URL', `postgres://u:${KEY}@h/d`);
  writeFileSync(join(workspace, 'a.txt'), 'a\n');
  symlinkSync('/', join(workspace, 'root'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(workspace, { recursive: true, force: true });
});

const tool = runTool({ workspace });

async function run(command: string, { timeoutMs = 60_000, signal = new AbortController().signal } = {}) {
  const context = { signal, progress: () => {} } as unknown as ToolContext;
  return Promise.resolve(tool.run({ command, timeoutMs }, context)).then(
    String,
    error => `FAILED ${error.message}`,
  );
}

/** Ids of processes that sleep for so long: each row has a length of its own. */
function sleeping(seconds: number): string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${seconds}\0`;
    } catch {
      return false;
    }
  });
}

describe('run: what `run(npm test)` covers', () => {
  const permission = (input: Record<string, unknown>, pattern = 'run(npm test)') =>
    decidePermission(
      { name: 'run', serverToolName: 'run', policy: DEFAULT_TOOL_POLICY },
      { input, workspace },
      { auto: [pattern], confirm: [], deny: [] },
      { alwaysThisRun: [], autoApprove: false },
    );

  test.each([{ command: 'npm test' }, { command: 'npm test', timeoutMs: 60_000 }])('%j → runs', input => {
    expect(permission(input)).toBe('run');
  });

  test.each([
    'npm test; rm -rf x',
    'npm test\nrm x',
    'npm test && rm x',
    'npm test || rm x',
    'npm test | sh',
    'npm test & rm x',
    'npm test > package.json',
    'npm test $(rm x)',
    'npm test `rm x`',
    'npm test #; rm x',
    'npm test -- --coverage',
    'npm test ',
    ' npm test',
    'npm  test',
    'npm\ttest',
    'npm test\r',
    'npm test\0',
    'NPM TEST',
    'npm tést',
    'rm x; npm test',
    'cd root && npm test',
    'X=1 npm test',
    'npm testx',
    './npm test',
  ])('%j → asks', command => {
    expect(permission({ command })).toBe('ask');
  });

  test('a second text beside the command, which would change what runs → asks', () => {
    expect(permission({ command: 'npm test', shell: 'rm x' })).toBe('ask');
    expect(permission({ command: ['npm test', 'rm x'] })).toBe('ask');
  });
});

test('run: a command → its exit code first, then what it wrote, in the workspace', async () => {
  expect(await run('pwd; ls a.txt no.txt; exit 3')).toMatch(
    new RegExp(`^exit code 3 \\(\\d+\\.\\d s\\)\\n${workspace}\\n[\\s\\S]*a\\.txt`),
  );
  expect(await run('true')).toMatch(/^exit code 0 \(\d+\.\d s\), no output$/);
  expect(await run('true\0')).toMatch(/^FAILED The command was not started: .*null bytes/);
});

test('run: a pipe of which one part fails → its code is not 0, and the description says by which shell (SE1)', async () => {
  expect(await run('sh -c "echo no; exit 3" | head -1')).toMatch(/^exit code 3 \(.*\nno$/);
  expect(tool.description).toMatch(/bash with pipefail, 120 s at most without timeoutMs.* exit code/);
});

test.each(['cat no || true', 'ls no; echo done', 'cat no & wait', 'if cat no; then true; fi'])(
  'run: %j → the result says that code 0 is not the end of each command (SE1)',
  async command => {
    expect(await run(command)).toMatch(/^exit code 0, which does not say how each of its commands ended \(/);
  },
);

test('run: no end → ended at its time, and says so; never longer than ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const running = run('echo begun; touch begun; sleep 301', { timeoutMs: 500 });
  await until('it has begun', () => existsSync(join(workspace, 'begun')));
  vi.advanceTimersByTime(500);
  expect(await running).toMatch(/^timed out after \d+\.\d s; .*ended\nbegun/);
  expect(tool.inputSchema).toMatchObject({ properties: { timeoutMs: { maximum: 600_000 } } });
});

test('run: a server in the background → its result says that it was ended, and with what it went; not of what has ended by itself (CF11)', async () => {
  const server = `node -e 'require("node:fs").writeFileSync("serves", ""); setInterval(() => {}, 1000)' &
    while [ ! -e serves ]; do sleep 0.02; done; echo begun`;
  expect(await run(server)).toMatch(
    /^exit code 0.* \(\d+\.\d s\); it left node running, which was ended: start it and use it in one command\nbegun$/,
  );
  expect(await run('{ (true &); } | cat; true & wait; sleep 0.1; echo done')).not.toContain('running');
});

/** Of rows below, the seconds of their sleeps: those of another run of these tests on this machine are others. */
const FIRST_SECONDS = randomInt(1_000_000, 9_000_000) * 100;
const [MANY, TERM, KILL] = [FIRST_SECONDS + 90, FIRST_SECONDS + 91, FIRST_SECONDS + 92];
/** `N`: seconds that nobody else sleeps. What a row starts must be gone when its command has ended. */
const OUTLIVING: readonly string[] = [
  'sleep N &',
  'sleep N >/dev/null 2>&1 </dev/null &',
  '(sleep N &)',
  '((sleep N &) &)',
  'nohup sleep N &',
  "nohup sh -c 'sleep N; sleep N' >/dev/null 2>&1 &",
  'setsid sleep N &',
  'setsid -f sleep N',
  "setsid sh -c 'setsid sleep N & setsid sleep N' &",
  '(setsid nohup sleep N >/dev/null 2>&1 &)',
  "trap '' HUP TERM INT; sleep N &",
  'setsid sh -c "trap \'\' HUP TERM INT QUIT; sleep N; sleep N; sleep N" &',
  'for i in 1 2 3 4 5 6 7 8 9 10; do setsid sleep N & done',
  'exec setsid -f sleep N',
  "sh -c 'sleep N & exec 1>&- 2>&-' &",
  'cd / && setsid sleep N &',
  "node -e \"require('child_process').spawn('sleep', ['N'], { detached: true, stdio: 'ignore' }).unref()\"",
  "setsid sh -c 'while :; do sleep N; done' &",
  'kill -STOP $$ & sleep N & kill -CONT $$',
  "sh -c 'kill -STOP $$' & sleep N &",
  'sleep N & disown 2>/dev/null; kill -9 $$',
  'exec sleep N & wait $!; sleep N &',
];
/** The environment emptied: only a namespace of processes, which a worker of root has, ends what left its group so. */
const HARDEST: readonly string[] = [
  'env -i setsid -f sleep N',
  'setsid env -i sleep N &',
  'env -i setsid sh -c "sleep N & sleep N" &',
];

const SEEN: readonly string[] = [
  'env',
  'cat /proc/self/environ',
  'cat /proc/$$/environ /proc/$PPID/environ',
  'export -p; set',
  'node -p "JSON.stringify(process.env)"',
  'echo "$OPENAI_API_KEY$STEERSMAN_MCP_TOKEN$DATABASE_URL"',
  'sh -lc env',
  'cat /proc/$PPID/cmdline; ls -l /proc/self/fd; cat /proc/self/fd/* </dev/null',
];

const FLOOD_MS = 1_500;
/** A command, its result, and its time if it does not end by itself. */
const COSTLY: Record<string, [string, RegExp, number?]> = {
  'an endless flood': ['yes', /^timed out/, FLOOD_MS],
  'a flood without ends of lines': ['cat /dev/zero', /^timed out/, FLOOD_MS],
  'a flood of control sequences': [
    "while :; do printf '\\033[2J\\033]0;x\\007\\r'; done",
    /^timed out/,
    FLOOD_MS,
  ],
  'a flood to the error output': [
    "head -c 10000000 /dev/zero | tr '\\0' '\\n' >&2",
    /cut: the command wrote 10000000 bytes/,
  ],
  'one line of a hundred megabytes': [
    "head -c 100000000 /dev/zero | tr '\\0' x; echo end",
    /^(?:timed out|exit code 0[\s\S]*xend$)/,
    FLOOD_MS,
  ],
  'a question': ['read answer </dev/tty; echo "$answer"', /^exit code/],
  'a password': ['sudo -k -S true; su -c true nobody; true', /^exit code/],
  'an editor': ['vi a.txt; git commit; true', /^(?:exit code|timed out)/, FLOOD_MS],
  'a folder that is removed': [
    'mkdir -p gone/in && cd gone/in && rm -rf ../../gone && pwd; ls',
    /^exit code/,
  ],
  'many processes': [`i=0; while [ $i -lt 200 ]; do sleep ${MANY} & i=$((i+1)); done; echo begun`, /begun/],
  'a signal to its whole group': [`kill -TERM 0; sleep ${TERM}`, /^(?:ended by|exit code)/],
  'the end of its whole group': [`kill -9 0; sleep ${KILL}`, /^(?:ended by|exit code)/],
  'output closed at once': ['exec 1>&- 2>&- 0<&-; sleep 0.2', /^exit code 0 .*no output$/],
  'a very long line of arguments': [`echo ${'x'.repeat(100_000)} | wc -c`, /100001$/],
};

describe('run under attack', () => {
  test.each(OUTLIVING.map((command, at) => [command, FIRST_SECONDS + at] as const))(
    '%s → is gone with the command',
    async (command, seconds) => {
      await run(`${command.replaceAll('N', String(seconds))}\nsleep 0.1`, { timeoutMs: 2_000 });
      expect(sleeping(seconds)).toEqual([]);
    },
  );

  test
    .runIf(process.getuid?.() === 0)
    .each(HARDEST.map((command, at) => [command, FIRST_SECONDS + 50 + at] as const))(
    '%s → is gone with the command, where it has its own namespace',
    async (command, seconds) => {
      const own = await run('test "$(ps ax | wc -l)" -lt 12 && echo own');
      await run(`${command.replaceAll('N', String(seconds))}\nsleep 0.1`, { timeoutMs: 2_000 });
      const left = sleeping(seconds);
      for (const pid of left) process.kill(Number(pid), 'SIGKILL');
      expect(left.length > 0 && own.includes('own')).toBe(false);
    },
  );

  test.each(SEEN)('%s → no key', async command => {
    expect(await run(command, { timeoutMs: 2_000 })).not.toContain(KEY);
  });

  test.each(Object.entries(COSTLY))(
    '%s → a short result, and the worker goes on',
    async (_what, [command, answer, timeoutMs = 60_000]) => {
      let turns = 0;
      const turning = setInterval(() => {
        turns += 1;
      }, 10);
      const rss = process.memoryUsage().rss;
      const text = await run(command, { timeoutMs });
      clearInterval(turning);
      expect(text).toMatch(answer);
      expect(Buffer.byteLength(text)).toBeLessThan(17_000);
      expect(process.memoryUsage().rss - rss).toBeLessThan(150 << 20);
      expect(turns).toBeGreaterThan(0);
      expect([MANY, TERM, KILL].flatMap(sleeping)).toEqual([]);
    },
  );
});
