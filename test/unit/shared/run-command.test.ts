import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type CommandInput, commandEnv, runCommand } from '../../../src/shared/run-command.js';
import { until } from '../../support/wait.js';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'commands-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, more: Partial<CommandInput> = {}) {
  return runCommand({ command, cwd: folder, timeoutMs: 20_000, maxBytes: 4_096, ...more });
}

/** Deadlines come when a test says so: how soon a command writes depends on the machine. */
const holdTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
afterEach(() => void vi.useRealTimers());

/** Whether a process runs whose command line has this text in it. */
function lives(text: string): boolean {
  if (process.platform !== 'linux') return execFileSync('ps', ['ax'], { encoding: 'utf8' }).includes(text);
  return readdirSync('/proc').some(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

/** A `sleep` that nobody else has. */
const length = () => `1${randomUUID().replace(/\D/g, '').slice(0, 8)}`;

const ENDS: Record<string, [string, Awaited<ReturnType<typeof run>>['exitCode'], string]> = {
  'says something': ['echo out; echo err >&2; echo last', 0, 'out\nerr\nlast\n'],
  fails: ['echo no >&2; exit 3', 3, 'no\n'],
  'is not there': ['no-such-program 2>/dev/null', 127, ''],
  'is no shell': ['echo "', 2, expect.stringMatching(/[Uu]nterminated|unexpected EOF/)],
  'asks for input': ['read line; echo "got $line, $?"', 0, 'got , 1\n'],
  'reads all input': ['cat', 0, ''],
  'wants a terminal': ['tty; echo $TERM', 0, 'not a tty\ndumb\n'],
  'writes no text': ["printf 'a\\377b\\0c\\303'", 0, 'a\ufffdbc\ufffd'],
  'drives a terminal': [
    "printf '\\033[31mred\\033[0m \\033]0;title\\007a\\bb \\033[2J\\n10%%\\r50%%\\rdone\\r\\n'",
    0,
    'red ab \ndone\n',
  ],
  'removes its folder': ['mkdir sub && cd sub && rmdir ../sub && echo gone', 0, 'gone\n'],
  'closes its output and goes on': ['exec >&- 2>&-; sleep 0.1; exit 4', 4, ''],
  'ends itself': ['kill -9 $$', expect.toSatisfy(code => code === null || code === 137), ''],
  'waits for its children': ['(exit 3) & wait; echo waited', 0, 'waited\n'],
};

test.each(Object.entries(ENDS))(
  'command: %s → its exit code and its output',
  async (_what, [command, exitCode, output]) => {
    const end = await run(command);
    expect(end).toMatchObject({ ended: 'exited', exitCode, output, cut: false, why: null });
  },
);

test('command: a folder that does not exist, NUL, too long a line → not started, with the reason', async () => {
  const [folderGone, nul, long] = await Promise.all([
    run('true', { cwd: join(folder, 'gone') }),
    run('true\0false'),
    run(`true ${'x'.repeat(3_000_000)}`),
  ]);
  expect(folderGone).toMatchObject({ ended: 'not_started', exitCode: null, output: '' });
  expect([folderGone.why, nul.why, long.why]).toEqual([
    `its folder ${join(folder, 'gone')} does not exist`,
    expect.stringContaining('null bytes'),
    expect.stringContaining('E2BIG'),
  ]);
});

test('command: more output than fits → its first and its last lines within the bytes', async () => {
  const end = await run('seq 1 100000; echo the end');
  expect(end).toMatchObject({ cut: true, bytes: 588_895 + 8 });
  expect(Buffer.byteLength(end.output)).toBeLessThanOrEqual(4_096);
  expect(end.output).toMatch(
    /^1\n2\n3\n[\s\S]*\n\[… cut: the command wrote 588903 bytes …\]\n[\s\S]*\n100000\nthe end\n$/,
  );
});

test('command: a long line at the cut → only whole lines stand before and after the mark (FC9)', async () => {
  const { output } = await run('for i in $(seq 1 400); do echo "line $i of a test that fails"; done');
  const lines = output.split('\n').filter(line => !line.startsWith('[… cut'));
  expect(lines.filter(line => line !== '' && !/^line \d+ of a test that fails$/.test(line))).toEqual([]);
});

test.each([4_095, 4_096, 4_097, 6_000, 8_191, 8_192, 8_193, 12_289])(
  'command: %i bytes of output where 4,096 fit → nothing is there twice, and the size is kept',
  async bytes => {
    const end = await run(`head -c ${bytes} /dev/zero | tr '\\0' 'é' | head -c ${bytes}`);
    const { output, cut } = await run(
      `i=0; while [ $i -lt ${Math.floor(bytes / 5)} ]; do i=$((i+1)); printf '%05d' $i; done`,
    );
    expect(Buffer.byteLength(end.output)).toBeLessThanOrEqual(4_096);
    expect(cut).toBe(Math.floor(bytes / 5) * 5 > 4_096);
    const numbers = output
      .split(/\n.*\n/)
      .flatMap((part, at) => (at === 0 ? part : part.slice(part.length % 5)).match(/\d{5}/g) ?? []);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Number(numbers.at(-1))).toBe(Math.floor(bytes / 5));
  },
);

test('command: colours only, more than fit → the text whole', async () => {
  const end = await run(
    "for i in 1 2 3 4 5 6; do head -c 1000 /dev/zero | tr '\\0' '\\007'; echo line $i; done",
  );
  expect(end).toMatchObject({ cut: false, output: [1, 2, 3, 4, 5, 6].map(i => `line ${i}\n`).join('') });
});

test('command: an endless flood → read a megabyte at a time and ended at its deadline, few bytes kept', async () => {
  holdTime();
  const before = process.memoryUsage().rss;
  let told = 0;
  const running = run('yes', {
    timeoutMs: 700,
    onOutput: bytes => {
      told = bytes;
    },
  });
  for (let part = 1; part <= 3; part += 1) {
    await until('a part is read', () => told >= part << 20);
    expect(told).toBeLessThan(part * 1.1 * (1 << 20));
    vi.advanceTimersByTime(50);
  }
  vi.advanceTimersByTime(700);
  const end = await running;
  expect(end).toMatchObject({ ended: 'timed_out', exitCode: null, cut: true });
  expect(Buffer.byteLength(end.output)).toBeLessThanOrEqual(4_096);
  expect(told).toBe(end.bytes);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20);
});

const LASTING: Record<string, (seconds: string) => string> = {
  'in the background': s => `sleep ${s} & echo begun`,
  'in the background, output closed': s => `sleep ${s} >/dev/null 2>&1 & echo begun`,
  'in a session of its own': s => `setsid sleep ${s} & sleep 0.1; echo begun`,
  'forked twice': s => `(setsid sh -c 'sleep ${s} & sleep ${s}' >/dev/null 2>&1 &) ; sleep 0.1; echo begun`,
  'deaf to signals': s => `nohup sh -c "trap '' TERM HUP INT; sleep ${s}; sleep ${s}" & echo begun`,
  'at work for long': s => `echo begun; sleep ${s}`,
  'at work, deaf': s => `trap '' TERM INT HUP; echo begun; sleep ${s}; sleep ${s}; sleep ${s}`,
  'in its own session, deaf, at work': s => `echo begun; setsid sh -c "trap '' TERM; sleep ${s}; sleep ${s}"`,
  'at work as a program that waits': s => `echo begun; exec sleep ${s}`,
};

test.each(Object.entries(LASTING))(
  'command: a process %s → is gone when the command has ended',
  async (what, command) => {
    const seconds = length();
    if (what.includes('at work')) holdTime();
    const end = await run(command(seconds), { onOutput: () => vi.isFakeTimers() && vi.runAllTimers() });
    expect(end.output).toMatch(/^begun\n/);
    expect(lives(`sleep\0${seconds}`)).toBe(false);
  },
);

test.each(Object.entries(LASTING))('command: a process %s, cancelled → is gone', async (_what, command) => {
  const seconds = length();
  const stop = new AbortController();
  const end = await run(`${command(seconds)}; sleep ${seconds}`, {
    signal: stop.signal,
    onOutput: () => stop.abort(),
  });
  expect(end).toMatchObject({
    ended: 'cancelled',
    exitCode: null,
    output: expect.stringMatching(/^begun\n/),
  });
  expect(lives(`sleep\0${seconds}`)).toBe(false);
});

test('command: cancelled before → it is not begun', async () => {
  const end = await run('touch begun', { signal: AbortSignal.abort() });
  expect(end.ended).toBe('cancelled');
  expect(existsSync(join(folder, 'begun'))).toBe(false);
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'command: its caller is ended by %s → it ends with its children',
  async signal => {
    const seconds = length();
    const module = new URL('../../../dist/shared/run-command.js', import.meta.url).href;
    const command = `(setsid sleep ${seconds} &); sleep ${seconds}; sleep ${seconds}`;
    const given = JSON.stringify({ command, cwd: folder, timeoutMs: 60_000, maxBytes: 1_000 });
    const caller = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `(await import('${module}')).runCommand(${given})`,
    ]);
    await until('both sleep', () => lives(`sleep\0${seconds}`));
    caller.kill(signal);
    await until('none is left', () => !lives(`sleep\0${seconds}`));
  },
);

test('command: the environment → what programs need, and no key', async () => {
  const given = { OPENAI_API_KEY: 'sk-1234567890', STEERSMAN_MCP_TOKEN: 't', AWS_PROFILE: 'p', LC_ALL: 'C' };
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value);
  try {
    const { output } = await run('env');
    const names = output.split('\n').map(line => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'LC_ALL', 'CI']));
    expect(output).not.toMatch(/OPENAI|sk-1234|TOKEN|AWS/);
    expect(commandEnv().HOME).toBe(process.env.HOME);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('command: many at the same time → each has its own end', async () => {
  mkdirSync(join(folder, 'many'), { recursive: true });
  const ends = await Promise.all(
    Array.from({ length: 12 }, (_, at) => run(`sleep 0.05; echo ${at}; exit ${at}`)),
  );
  expect(ends.map(({ exitCode, output }) => [exitCode, output])).toEqual(
    ends.map((_, at) => [at, `${at}\n`]),
  );
});
