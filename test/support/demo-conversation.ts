/** A conversation with the demo model, whose calls are made by the real workspace tools. */
import { expect } from 'vitest';
import { replyTo } from '../../packages/demo-model/roles.js';
import { BUILT_IN_WORDS } from '../../src/base/words/words.js';
import { toolResult } from '../../src/conversation/tool-result.js';
import { PLAIN_REQUEST } from '../../src/models/provider/provider.js';
import { parseRoleOutput } from '../../src/rules/outputs/parse-output.js';
import { decideVerdict } from '../../src/rules/plan/decide.js';
import {
  planningInstruction,
  taskInstruction,
  verificationInstruction,
  wrapUpInstruction,
} from '../../src/rules/prompts/instructions.js';
import {
  type Message,
  NO_USAGE,
  type ToolResultBlock,
  type ToolUseBlock,
  type UserMessage,
} from '../../src/run/messages/message.js';
import type { OutputContract, OutputOf } from '../../src/run/outputs/contracts.js';
import { planningAt, verificationAt } from '../../src/run/position/position.js';
import { newRunState, type RunState } from '../../src/run/state/run-state.js';
import { task as newTask, pinnedRun } from './core-values.js';
import { testRole } from './small-run.js';
import type { Hands } from './workspace-tools.js';

export const FILE_TOOLS = ['list', 'grep', 'read', 'write'];

/** A run of one conversation, as its thread has it: the model is asked, and its calls are made by the real tools. */
export class DemoConversation {
  readonly messages: Message[] = [];
  readonly state: RunState;
  readonly called: string[] = [];
  readonly hands: Hands;
  /** In place of a call's result. */
  instead: (call: ToolUseBlock) => ToolResultBlock | null = () => null;
  #ids = 0;

  constructor(hands: Hands, goal: string) {
    this.hands = hands;
    this.state = newRunState(goal, { mode: 'team', workspace: '/w', autoApprove: false }, 0);
    this.state.pinned = pinnedRun({ language: 'en' });
    this.say('goal', goal);
  }

  say(purpose: UserMessage['purpose'], text: string, taskId?: string): void {
    const content: UserMessage['content'] = [{ type: 'text', text }];
    this.messages.push({ ...this.#head(), kind: 'user', purpose, content, ...(taskId ? { taskId } : {}) });
  }

  /** Asks until there is a reply without calls, as often as a task has rounds. */
  async ask(output: OutputContract, tools: readonly string[] = FILE_TOOLS, rounds = 10): Promise<string> {
    for (let round = 0; round < rounds; round += 1) {
      const { text, calls } = await this.reply(output, tools);
      if (calls.length === 0) return text;
    }
    return (await this.reply(output, [])).text;
  }

  async reply(output: OutputContract, tools: readonly string[]) {
    const offered = tools.map(name => {
      return { name, description: '', inputSchema: {}, validation: 'strict' as const };
    });
    const request = { ...PLAIN_REQUEST, model: 'rules', messages: this.messages, output, tools: offered };
    const reply = replyTo(request);
    const blocks = reply.calls.map(({ name, arguments: input }) => {
      return { type: 'tool_use' as const, id: `c${this.#ids++}`, name, input };
    });
    const said = { role: 'demo', stopReason: 'end_turn', action: 'thinking', model: 'demo/rules' } as const;
    const content = [{ type: 'text' as const, text: reply.text }, ...blocks];
    this.messages.push({ ...this.#head(), ...said, kind: 'assistant', content, usage: NO_USAGE });
    for (const block of blocks) {
      this.called.push(block.name);
      const result = this.instead(block) ?? (await this.#run(block));
      this.messages.push({ ...this.#head(), kind: 'tool_result', content: [result] });
    }
    return reply;
  }

  async #run(call: ToolUseBlock): Promise<ToolResultBlock> {
    const text = await this.hands.call(call.name, call.input);
    const content = [{ type: 'text' as const, text: text.replace(/^failed: /, '') }];
    return toolResult(call, 'executed', { content, isError: text.startsWith('failed: ') });
  }

  /** All of the mode `team`, with what is said after the plan. */
  async team(...later: string[]) {
    const plan = await this.plan();
    for (const text of later) this.say('steer', text);
    for (const { id } of plan) await this.task(id);
    return plan;
  }

  async plan(improvements?: string[]) {
    const wanted = improvements && { from: 'verification' as const, wanted: improvements, reading: null };
    const place = planningAt(improvements ? 2 : 1, wanted ?? null);
    if (place.phase !== 'planning') throw new Error('the run does not plan');
    this.say('instruction', planningInstruction(this.state, place));
    const { value } = await this.#read('plan', []);
    const { tasks } = value ?? { tasks: [] };
    const planned = tasks.map(({ id, description }) => newTask(id, { description: description ?? id }));
    // What failed or was skipped is done after all.
    const kept = this.state.tasks.filter(({ id }) => !planned.some(task => task.id === id));
    this.state.tasks = [...kept, ...planned];
    return tasks;
  }

  async task(id: string, rounds = 10): Promise<OutputOf['execution']> {
    const task = this.state.tasks.find(known => known.id === id) ?? newTask(id);
    this.say('instruction', taskInstruction(this.state, task, testRole('executor'), rounds), id);
    const report = await this.value('execution', FILE_TOOLS, rounds);
    Object.assign(task, { status: report.taskCompleted ? 'completed' : 'skipped' });
    return report;
  }

  /** The verdict, and what the run makes of it. */
  async verify() {
    this.say('instruction', verificationInstruction(this.state, verificationAt(1)));
    const verdict = await this.value('verdict', []);
    return { ...verdict, summary: verdict.summary ?? '', ...decideVerdict(verdict, this.state.tasks) };
  }

  /** The answer of a goal that the verifier does not judge: the run ends unverified. */
  async unjudged(): Promise<string> {
    this.say('instruction', verificationInstruction(this.state, verificationAt(1)));
    const { special } = parseRoleOutput('verdict', await this.ask('verdict', []), { names: [] });
    expect(special).toMatchObject({ kind: 'error' });
    return this.wrapUp(BUILT_IN_WORDS.en.whyNoVerdict);
  }

  async wrapUp(why: string): Promise<string> {
    this.say('instruction', wrapUpInstruction(this.state, why, { memory: 'shared' }));
    return this.ask('text', []);
  }

  async value<C extends OutputContract>(
    form: C,
    tools: readonly string[],
    rounds = 10,
  ): Promise<OutputOf[C]> {
    const read = await this.#read(form, tools, rounds);
    expect(read).toMatchObject({ ok: true, special: null });
    if (read.value === null) throw new Error('no value');
    return read.value;
  }

  async #read<C extends OutputContract>(form: C, tools: readonly string[], rounds = 10) {
    const names = this.state.tasks.map(({ id }) => id);
    return parseRoleOutput(form, await this.ask(form, tools, rounds), { names });
  }

  #head() {
    return { id: `m${this.#ids++}`, at: 1 };
  }
}
