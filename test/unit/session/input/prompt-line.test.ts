import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Key } from '../../../../packages/session/input/keys.js';
import { onKey } from '../../../../packages/session/input/on-key.js';
import { PromptFetcher } from '../../../../packages/session/input/prompt-fetcher.js';
import type { PromptMenu } from '../../../../packages/session/input/prompt-line.js';
import {
  type Effect,
  NEW_SESSION,
  type SessionState,
} from '../../../../packages/session/input/session-state.js';
import { lookLines } from '../../../../packages/session/look.js';
import { liveArea } from '../../../../packages/session/screen/live-area.js';
import { newProgress, type RunProgress } from '../../../../packages/view/run-progress.js';
import { noColors } from '../../../../src/shared/process/output.js';
import { fakeMcp } from '../../../support/fake-mcp-server.js';

const TAB: Key = { name: 'tab', sequence: '\t' };
const ENTER: Key = { name: 'return', sequence: '\r' };
const typed = (text: string): Key[] => [...text].map(char => ({ name: char.toLowerCase(), sequence: char }));
const file = { name: 'file', description: 'Its path.', required: true };
const tone = { name: 'tone', description: '', required: false };
const PROMPTS: PromptMenu = {
  git: [{ server: 'git', name: 'review', description: 'Reviews.', arguments: [file, tone] }],
  web: null,
};

function press(keys: Key[]): { session: SessionState; effects: Effect[] } {
  const effects: Effect[] = [];
  const session = keys.reduce(
    (before, key) => {
      const step = onKey(before, key, 10_000);
      effects.push(...step.effects);
      return step.session;
    },
    { ...NEW_SESSION, prompts: PROMPTS },
  );
  return { session, effects };
}

describe('prompts in the line', () => {
  test.each([
    ['the beginning of a server', '/gi', '/git:'],
    ['the beginning of a prompt', '/git:re', '/git:review '],
    ['a prompt with arguments', '/git:review f', '/git:review file='],
    ['an argument that is given', '/git:review file=a ', '/git:review file=a tone='],
    ['a quoted value', '/git:review file="a f', '/git:review file="a f'],
  ])('Tab: %s → completed', (_, text, line) => {
    expect(press([...typed(text), TAB]).session.line.text).toBe(line);
  });

  test('the name of a server that nobody has asked, and its colon → asked once', () => {
    expect(press(typed('/web:ab')).effects).toEqual([{ do: 'list-prompts', server: 'web' }]);
  });

  test.each([
    ['a server that is being asked', '/web:', 'asking web for its prompts'],
    ['a prompt with its arguments', '/git:review file=a', '/git:review file=… [tone=…] · Reviews.'],
    ['a prompt that is not there', '/git:revue', 'git has no such prompt: /help lists them'],
    ['no server', '/gut:review', 'no such command: /help lists them'],
  ])('below the line: %s → said', (_, text, hint) => {
    const { session } = press(typed(text));
    const screen = { columns: 100, rows: 24, now: 0, colors: noColors };
    expect(liveArea(newProgress('Review it'), { ...session, menu: null }, screen).at(-1)).toBe(hint);
  });

  test.each([
    ['a prompt with a quoted value', '/git:review file="a b" tone=dry', ['file=a b', 'tone=dry']],
    ['a prompt without arguments', '/git:review', []],
  ])('Enter: %s → its text is asked for', (_, text, words) => {
    const { session, effects } = press([...typed(text), ENTER]);
    expect(effects).toEqual([{ do: 'prompt', prompt: 'git:review', words, typed: text }]);
    expect(session.line.text).toBe('');
  });

  test('/help → tells how, and the prompts that are known', () => {
    const page = { width: 79, colors: noColors };
    const help = lookLines('help', null, { ...NEW_SESSION, prompts: PROMPTS }, page).join('\n');
    expect(help).toMatch(/\/git:review +Reviews\./);
    expect(help).toContain('servers: git, web');
  });
});

describe('prompts of a session', () => {
  function stage() {
    const fake = fakeMcp();
    const dir = mkdtempSync(join(tmpdir(), 'steersman-prompt-fetcher-'));
    writeFileSync(join(dir, '.mcp.json'), JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }));
    onTestFinished(() => {
      fake.remove();
      rmSync(dir, { recursive: true, force: true });
    });
    const told: string[] = [];
    const failed: unknown[] = [];
    const scope = {
      session: NEW_SESSION,
      config: dir,
      progress: { state: { workspace: dir } as RunProgress['state'] },
      scrollback: { tell: (lines: readonly string[]) => void told.push(...lines) },
      terminal: { refresh: () => undefined },
    };
    const prompts = new PromptFetcher(scope, {
      carryOut: () => undefined,
      failed: (error, texts) => void failed.push([String(error), texts]),
    });
    return { fake, scope, told, failed, prompts };
  }

  test('names of servers → known, and none is started; one of them → its prompts', async () => {
    const { fake, scope, prompts } = stage();
    await prompts.list({ do: 'list-prompts', server: null });
    expect(scope.session.prompts).toEqual({ fake: null });
    expect(fake.events()).toEqual([]);
    await prompts.list({ do: 'list-prompts', server: 'fake' });
    expect(scope.session.prompts.fake?.map(({ name }) => name)).toContain('review');
  });

  test('a prompt that begins like a command → in the line as a message, which Enter sends', async () => {
    const { scope, told, prompts } = stage();
    await prompts.put({ do: 'prompt', prompt: 'fake:command', words: [], typed: '/fake:command' });
    expect(told).toEqual(['Asking for fake:command …', 'It is in your line: Enter sends it.']);
    expect(scope.session.line.text).toBe(' /yes to all');
    expect(onKey(scope.session, ENTER, 10_000).effects).toEqual([
      { do: 'steer', text: '/yes to all', when: 'skip' },
    ]);
  });

  test('an argument missing → said, with what was typed', async () => {
    const { failed, prompts } = stage();
    await prompts.put({ do: 'prompt', prompt: 'fake:review', words: [], typed: '/fake:review' });
    expect(failed).toEqual([[expect.stringContaining('the argument file is missing'), ['/fake:review']]]);
  });
});
