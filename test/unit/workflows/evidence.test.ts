/** Evidence in a whole run in memory: what is looked at when, what a verdict may do, what the result says. */
import { describe, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../packages/test-kit/role-outputs.js';
import type { CallToolInput, LookFinds, LookInput } from '../../../src/activities/types.js';
import { OWN_TOOLS } from '../../../src/features/workers.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { NO_USAGE, textOf } from '../../../src/run/messages/message.js';
import { addWorkflowTools } from '../../../src/run/tools/workflow-tools.js';
import { recallTool } from '../../../src/shared/store/recall.js';
import { runTeam, type TeamGiven, type TeamReply } from '../../support/scripted-team.js';
import { fileTool, testRole } from '../../support/small-run.js';

const planned = { text: plan({ todos: ['Look at it'] }) };
const done = { text: execution({ summary: 'The report of it all.', taskCompleted: true }) };
const content = {
  text: verdict({
    summary: 'It is so.',
    tasks: [{ id: 'task-1', completed: true, feedback: 'Seen.', evidence: [] }],
  }),
};

const roles = (verifier: Partial<ReturnType<typeof testRole>>) => ({
  planner: testRole('planner', { tools: [], output: 'plan' }),
  executor: testRole('executor'),
  verifier: testRole('verifier', { tools: [], output: 'verdict', ...verifier }),
  summary: testRole('summary', { tools: [], output: 'text' }),
});

/** What the run says to a role in a request: its prompt and its instructions. */
function toldTo(role: string, request: Awaited<ReturnType<typeof runTeam>>['requests'][number] | undefined) {
  const said = (request?.messages ?? []).filter(message => message.kind === 'user' && message.role === role);
  return said.map(textOf).join('\n');
}

function team(replies: readonly TeamReply[], looks: number, given: TeamGiven = {}) {
  const pinned = {
    roles: roles({ tools: ['*'], readOnly: true }),
    limits: { ...DEFAULT_LIMITS, looks },
    ...given.pinned,
  };
  return runTeam(replies, { ...given, pinned, settings: { autoApprove: true, ...given.settings } });
}

describe('looks of the verifier', () => {
  test('one look → a tool that reads is called, one that writes is not; then it has none, and judges (L4, L9)', async () => {
    const calls = { calls: ['read', 'put'] };
    const { ran, end, requests } = await team([planned, done, calls, content], 1);
    expect(ran.map(({ tool }) => tool)).toEqual(['read']);
    expect(end.outcome).toBe('completed');
    expect(requests.slice(2).map(({ head }) => head?.toolChoice)).toEqual(['auto', 'none']);
  });

  test('none → no tool is offered, and a call is not run', async () => {
    const { ran, end, requests } = await team([planned, done, { ...content, calls: ['read'] }], 0);
    expect([ran, end.outcome, requests[2]?.head?.toolChoice]).toEqual([[], 'completed', 'none']);
  });
});

test('a verifier with a look reads what the executor has read → the tool is called again (WK3)', async () => {
  let times = 0;
  const callTool = async () => {
    times += 1;
    const content = [{ type: 'text' as const, text: `total ${times}` }];
    return {
      ok: true as const,
      value: { ending: 'executed' as const, content, isError: false, durationMs: 1 },
    };
  };
  const read = { calls: ['read'], input: { path: 'a.txt' } };
  const { requests } = await team([planned, read, done, read, content], 1, { callTool });
  expect(times).toBe(2);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain('total 2');
});

describe('results that are left out before a verdict', () => {
  const said = 'word '.repeat(4_000);
  const answerOf = (text: string) => ({
    ok: true as const,
    value: {
      ending: 'executed' as const,
      content: [{ type: 'text' as const, text }],
      isError: false,
      durationMs: 1,
    },
  });

  test('the verifier may recall, twice, and then judges (SE2)', async () => {
    const ran: string[] = [];
    const callTool = async ({ tool }: CallToolInput) => {
      ran.push(tool);
      return answerOf(tool === 'recall' ? 'The whole issue.' : said);
    };
    const pinned = {
      roles: roles({ tools: ['recall'], readOnly: true }),
      tools: [fileTool('read', { readOnly: true }), recallTool],
      limits: { ...DEFAULT_LIMITS, looks: 0 },
      keeps: true as const,
      context: { softTokens: 2_000 },
    };
    const reads = ['a', 'b', 'c', 'd'].map(path => ({ calls: ['read'], input: { path } }));
    const recalls = { calls: ['recall'], input: { id: 'm5' } };
    const replies = [planned, ...reads, done, recalls, content];
    const { end, requests } = await team(replies, 0, { pinned, callTool });
    expect(ran.at(-1)).toBe('recall');
    expect(end.outcome).toBe('completed');
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('The whole issue.');
    const judging = toldTo('verifier', requests.at(-2));
    expect(judging).toContain('may call `recall`, and no other tool, in at most 2 replies');
  });

  test('nothing is left out → no tool is offered, and one reply is the verdict (SE2, L4)', async () => {
    const pinned = {
      roles: roles({ tools: ['recall'], readOnly: true }),
      tools: [fileTool('read', { readOnly: true }), recallTool],
      limits: { ...DEFAULT_LIMITS, looks: 0 },
    };
    const { requests } = await team([planned, { calls: ['read'] }, done, content], 0, { pinned });
    expect(requests.at(-1)?.head?.toolChoice).toBe('none');
    expect(toldTo('verifier', requests.at(-1))).not.toContain('recall');
  });
});

test.each([
  ['shared', 0],
  ['private', undefined],
] as const)('a verifier whose memory is %s → %s lines around a difference', async (memory, context) => {
  const seen: LookInput[] = [];
  const look = async <I extends LookInput>(input: I) => {
    seen.push(input);
    const found = input.at === 'before' ? [] : { files: [], others: [], more: 0 };
    return { ok: true as const, value: found as unknown as LookFinds[I['at']] };
  };
  const pinned = { roles: roles({ memory }), tools: [fileTool('put')] };
  await team([planned, { calls: ['put'], input: { path: 'a' } }, done, content], 0, { pinned, look });
  expect(seen.find(({ at }) => at === 'now')).toMatchObject({ at: 'now', ...(context === 0 && { context }) });
  expect(seen.some(input => 'context' in input)).toBe(context === 0);
});

test('a file whose change time was seen before its first write → the look before a verdict compares it (WK2)', async () => {
  const before = { path: 'a', named: 'a', hash: 'old', bytes: 1, ref: null, changedAt: 7.5 };
  const seen: LookInput[] = [];
  const look = async <I extends LookInput>(input: I) => {
    seen.push(input);
    const found = input.at === 'before' ? [before] : { files: [], others: [], more: 0 };
    return { ok: true as const, value: found as unknown as LookFinds[I['at']] };
  };
  const pinned = { roles: roles({}), tools: [fileTool('put')] };
  await team([planned, { calls: ['put'], input: { path: 'a' } }, done, content], 0, { pinned, look });
  const files = [{ path: 'a', hash: 'old', ref: null, changedAt: 7.5 }];
  expect(seen.find(({ at }) => at === 'now')).toMatchObject({ files });
});

describe('a verifier with a memory of its own', () => {
  const found: LookFinds = {
    before: [{ named: 'a', path: 'a', hash: null, bytes: 0, ref: null }],
    now: { files: [{ path: 'a', hash: 'h', bytes: 2, diff: '+y', left: 0, why: null }], others: [], more: 0 },
    start: { ref: null },
    list: '',
  };
  const look = async <I extends LookInput>({ at }: I) => ({
    ok: true as const,
    value: found[at] as LookFinds[I['at']],
  });

  test.each([
    ['a call that wrote a file', [planned, { calls: ['put'], input: { path: 'a' } }, done, content], false],
    ['nothing but a report', [planned, done, content], true],
  ])(
    '%s → it judges by goal and evidence; reports are told where there is no evidence',
    async (_, replies, told) => {
      const pinned = { roles: roles({ memory: 'private', prefix: 'own' }), tools: [fileTool('put')] };
      const { requests } = await team(replies, 0, { pinned, look });
      const asked = (requests.at(-1)?.messages ?? []).map(message => textOf(message)).join('\n');
      expect(asked.includes('The report of it all.')).toBe(told);
      expect(asked.includes('a: new, 2 bytes')).toBe(!told);
    },
  );
});

test('an artifact is created → evidence of its task, and a verdict that cites it rests on it', async () => {
  const name = 'create_artifact';
  const input = { id: 'report', type: 'markdown', content: 'One.' };
  const own = { ...roles({}), executor: testRole('executor', { tools: ['*', '*_artifact'] }) };
  const { tools } = addWorkflowTools([fileTool('put')], Object.values(own), OWN_TOOLS);
  const cites = { text: content.text.replace('"evidence":[]', '"evidence":["e1"]') };
  const replies = [planned, { calls: [name], input }, done, cites];
  const { run, requests, end } = await team(replies, 0, { pinned: { roles: own, tools } });
  const asked = (requests.at(-1)?.messages ?? []).map(message => textOf(message)).join('\n');
  expect(asked).toMatch(/^e1 · task-1 · create_artifact.*: executed$/m);
  expect(asked).not.toContain('no call changed anything');
  expect([end.outcome, run.state.goal.basis]).toEqual(['completed', 'evidence']);
});

describe('what a sub-agent of the executor has done', () => {
  const ended = (effects: string[]) => async () => {
    const usage = { usage: NO_USAGE, usageBy: [], turns: 1, failedCalls: 0, unread: [] };
    const answered = { outcome: 'answered' as const, cause: 'direct_answer' as const, answer: 'Done.' };
    return { kind: 'ended' as const, report: { ...usage, ...answered, effects } };
  };
  const own = {
    ...roles({}),
    executor: testRole('executor', { tools: ['*', 'call_subagent'], agents: ['search'] }),
  };
  const { tools } = addWorkflowTools([], Object.values(own));
  const agents = [{ name: 'search', description: 'Searches.', requires: [] }];
  const input = { agent_name: 'search', instruction: 'Tell Ann.' };
  const cites = { text: content.text.replace('"evidence":[]', '"evidence":["e1"]') };

  test.each([
    ['executed', 'send_mail ann: executed', 'search/1: send_mail ann: executed', 'evidence'],
    ['nobody knows how', 'send_mail ann: timed_out', 'search/1: send_mail ann: timed_out', 'opinion'],
    [
      'an error',
      'send_mail ann: executed, an error',
      'send_mail ann: executed, the tool reports an error',
      'opinion',
    ],
  ])('%s → evidence of the task, and a verdict rests on it or not', async (_, effect, line, basis) => {
    // A verdict that cites only a failure is sent back once.
    const { run, requests, end } = await team(
      [planned, { calls: ['call_subagent'], input }, done, cites, cites],
      0,
      {
        pinned: { roles: own, tools, agents },
        callSubagent: ended([effect]),
      },
    );
    const asked = (requests.at(-1)?.messages ?? []).map(message => textOf(message)).join('\n');
    expect(asked).toContain('e1 · task-1 · search/1: send_mail ann');
    expect(asked).toContain(line);
    expect([end.outcome, run.state.goal.basis]).toEqual(['completed', basis]);
  });
});

describe('tests, and edits of files', () => {
  const found: LookFinds = {
    before: [{ named: 'a', path: 'a', hash: 'old', bytes: 1, ref: null }],
    now: { files: [{ path: 'a', hash: 'h', bytes: 2, diff: '+y', left: 0, why: null }], others: [], more: 0 },
    start: { ref: null },
    list: '',
  };
  const look = async <I extends LookInput>({ at }: I) => ({
    ok: true as const,
    value: found[at] as LookFinds[I['at']],
  });
  const run = {
    ...fileTool('run'),
    description: 'Runs a line by bash with pipefail.',
    inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
  };
  const callTool = async ({ tool }: CallToolInput) => {
    const content = [{ type: 'text' as const, text: tool === 'run' ? 'exit code 0 (0.1 s)' : 'Done.' }];
    return {
      ok: true as const,
      value: { ending: 'executed' as const, content, isError: false, durationMs: 1 },
    };
  };
  const tests = { calls: ['run'], input: { command: 'npm test' } };
  const edit = { calls: ['put'], input: { path: 'a' } };
  const citing = (ids: string) => ({ text: content.text.replace('"evidence":[]', `"evidence":[${ids}]`) });

  test.each([
    ['not cited, and not read', '"e2"', [], 'opinion'],
    ['cited', '"e1","e2"', [], 'evidence'],
    ['read by the verifier', '"e2"', [{ calls: ['read'], input: { path: 'a' } }], 'evidence'],
    ['not read, another is', '"e2"', [{ calls: ['read'], input: { path: 'b' } }], 'opinion'],
  ])('a changed file is %s → the verdict rests on it or not (WK3)', async (_, ids, looks, basis) => {
    const tools = [run, fileTool('put'), fileTool('read', { readOnly: true })];
    const pinned = { roles: roles({ tools: ['read'], readOnly: true }), tools };
    const replies = [planned, edit, tests, done, ...looks, citing(ids)];
    const { run: made } = await team(replies, 2, {
      pinned: { ...pinned, limits: { ...DEFAULT_LIMITS, looks: 2 } },
      ...{ look, callTool },
    });
    expect(made.state.goal.basis).toBe(basis);
  });

  test('a cited file is changed by others before the verdict counts → it is judged again (WK3)', async () => {
    let seen = 0;
    const changing = async <I extends LookInput>({ at }: I) => {
      seen += at === 'now' ? 1 : 0;
      const files = found.now.files.map(file => ({ ...file, hash: seen > 1 ? 'theirs' : file.hash }));
      const value = at === 'now' ? { ...found.now, files } : found[at];
      return { ok: true as const, value: value as LookFinds[I['at']] };
    };
    const pinned = { roles: roles({}), tools: [fileTool('put')] };
    const given = { pinned, look: changing, callTool };
    const { asked } = await team([planned, edit, done, citing('"e1"'), citing('"e1"')], 0, given);
    expect(asked.filter(role => role === 'verifier')).toHaveLength(2);
  });

  test.each([
    ['tests, then an edit', [tests, edit], 'opinion'],
    ['an edit, then tests', [edit, tests], 'evidence'],
    ['tests, an edit, and tests again', [tests, edit, tests], 'opinion'],
  ])('%s → a verdict that cites the first tests counts as what it is (SE1)', async (_, calls, basis) => {
    const pinned = { roles: roles({}), tools: [run, fileTool('put')] };
    const given = { pinned, look, callTool };
    const {
      run: made,
      requests,
      end,
    } = await team([planned, ...calls, done, citing(basis === 'evidence' ? '"e1","e2"' : '"e2"')], 0, given);
    const asked = (requests.at(-1)?.messages ?? []).map(message => textOf(message)).join('\n');
    const isOld = basis === 'opinion';
    const line = `e2 · task-1 · run npm test: executed${isOld ? ', before later changes' : ''} · exit code 0 (0.1 s)`;
    expect(asked.split('\n')).toContain(line);
    expect([end.outcome, made.state.goal.basis]).toEqual(['completed', basis]);
  });
});

test('a task of thousands of characters → the verifier has every word of it', async () => {
  const description = `Write it. ${'And so on. '.repeat(200)}Do not claim that tests were run.`;
  const { requests } = await team([{ text: plan({ todos: [description] }) }, done, content], 0);
  const asked = (requests.at(-1)?.messages ?? []).map(message => textOf(message)).join('\n');
  expect(asked).toContain('Do not claim that tests were run.');
});

test('a first write that could not be looked at before → a later write of the file is not taken for its beginning', async () => {
  const looks: LookInput[] = [];
  const look = async <I extends LookInput>(input: I) => {
    looks.push(input);
    if (input.at === 'before')
      return { ok: false as const, failure: { kind: 'timedOut' as const, type: '', message: '' } };
    const files = [{ path: 'a', hash: 'h', bytes: 2, diff: null, left: 0, why: 'unread' as const }];
    return { ok: true as const, value: { files, others: [], more: 0 } as unknown as LookFinds[I['at']] };
  };
  const writes = (text: string) => ({ calls: ['put'], input: { path: 'a', text } });
  const replies = [planned, writes('first'), writes('second'), done, content];
  const { requests } = await team(replies, 0, { pinned: { tools: [fileTool('put')] }, look });
  expect(looks.filter(({ at }) => at === 'before')).toHaveLength(1);
  const asked = (requests.at(-1)?.messages ?? []).map(message => textOf(message)).join('\n');
  expect(asked).toContain('a: what it was before is not known');
});

/** Looks of a goal with checks: `hashes` of the file that one looks at, one for each look. */
function lookOfChecks(hashes: (string | null)[], changed: string[] = [], gone: string[] = []) {
  const looks: LookInput[] = [];
  const look = async <I extends LookInput>(input: I) => {
    looks.push(input);
    const none = { changed, added: [], gone, more: 0, ignored: [], unseen: null };
    const hash = input.at === 'now' && input.files.length > 0 ? (hashes.shift() ?? null) : null;
    const files = hash === null && hashes.length === 0 ? [] : [{ path: 'out.txt', hash, bytes: 1 }];
    const found = {
      before: [],
      start: { ref: 'blob:start' },
      list: '',
      now: {
        files: files.map(file => ({ ...file, diff: null, left: 0, why: null })),
        ...{ others: [], more: 0, changes: none },
      },
    };
    return { ok: true as const, value: found[input.at] as LookFinds[I['at']] };
  };
  return { looks, look };
}

test('a goal deletes a test that its check runs → answer, result and evidence say that it is gone (WK11)', async () => {
  const { look } = lookOfChecks([], ['package.json'], ['test/a.test.js']);
  const pinned = { roles: roles({}), checks: [{ run: 'npm test' }], listsStart: true as const };
  const { run, end, requests } = await team([planned, done, content], 0, { pinned, look });
  expect(run.state.goal.checks.results[0]?.gone).toEqual(['test/a.test.js']);
  expect(end.answer).toContain('npm test [package.json, test/a.test.js (gone)].');
  const asked = (requests.at(-1)?.messages ?? []).map(message => textOf(message)).join('\n');
  expect(asked).toContain('this goal has changed: package.json, test/a.test.js (gone)');
});

test('a goal changes what its check runs → answer, result and evidence name it (WK11)', async () => {
  const { look, looks } = lookOfChecks([], ['package.json', 'src/a.js']);
  const pinned = { roles: roles({}), checks: [{ run: 'npm test' }], listsStart: true as const };
  const { run, end, requests } = await team([planned, done, content], 0, { pinned, look });
  expect(looks.flatMap(({ at }, index) => (at === 'start' ? [index] : []))).toEqual([0]);
  expect(run.state.goal.checks.results[0]?.changed).toEqual(['package.json']);
  expect(end.answer).toContain('The goal changed files that its checks read: npm test [package.json].');
  const asked = (requests.at(-1)?.messages ?? []).map(message => textOf(message)).join('\n');
  expect(asked).toContain('it reads files that this goal has changed: package.json');
});

describe('SE9: a model runs what is a check of the goal', () => {
  const run = {
    ...fileTool('run'),
    origin: { type: 'mcp' as const, server: 'files', own: true as const },
    inputSchema: {
      type: 'object',
      properties: { command: { type: 'string' }, timeoutMs: { type: 'integer' } },
      additionalProperties: false,
    },
  };
  const copy = { ...run, origin: { type: 'mcp' as const, server: 'copy' } };
  const checks = [{ run: 'npm test' }];
  const confirm = { auto: [], confirm: ['run(npm *)'], deny: [] };

  test.each<[string, string, string[], object, number]>([
    ['word for word → it runs, and nobody is asked', 'npm test', ['src/a.js'], {}, 1],
    ['with a word more → somebody is asked', 'npm test -- -u', [], {}, 0],
    ['after what it reads was changed → somebody is asked', 'npm test', ['package.json'], {}, 0],
    ['that `confirm` names → somebody is asked', 'npm test', [], { permissions: confirm }, 0],
    ['of another goal → somebody is asked', 'npm test', [], { checks: [] }, 0],
    [
      "by another server's tool that looks the same → somebody is asked",
      'npm test',
      [],
      { tools: [copy] },
      0,
    ],
  ])('%s', async (_, command, changed, more, times) => {
    const { look } = lookOfChecks([], changed);
    const pinned = { roles: roles({}), tools: [run], checks, listsStart: true as const, ...more };
    const call = { calls: ['run'], input: { command } };
    const given = { pinned, look, settings: { autoApprove: false } };
    const { ran } = await team([planned, call, done, content], 0, given);
    expect(ran).toHaveLength(times);
  });
});

test('the file of a check is gone after the verdict → it has not passed (WK13)', async () => {
  const { look } = lookOfChecks(['there', null]);
  const limits = { ...DEFAULT_LIMITS, looks: 0, verification: 1 };
  const pinned = { roles: roles({}), checks: [{ file: 'out.txt' }], listsStart: true as const, limits };
  const { run, end } = await team([planned, done, content], 0, { pinned, look });
  expect(run.state.goal.checks.results).toMatchObject([
    { status: 'failed', why: expect.stringContaining('changed after it passed') },
  ]);
  expect([end.outcome, end.cause]).toEqual(['unverified', 'checks_failed']);
  // Nobody is told that it is done, and then that it is not.
  const verdicts = run.state.log.journal.events.filter(({ type }) => type === 'verdict');
  expect(verdicts).toMatchObject([{ done: false }]);
});
