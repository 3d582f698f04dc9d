/** Watches a simulated run at every safe point and call, and fails it where an invariant is broken. */
import { isDeepStrictEqual } from 'node:util';
import type {
  CallModelInput,
  CallModelResult,
  CallToolInput,
  CallToolResult,
} from '../../src/activities/types.js';
import { isRecord } from '../../src/base/json/json.js';
import { INSTRUCTION_TEXT_BYTES, TEXT_BYTES } from '../../src/base/sizes/bounds.js';
import { FEATURES } from '../../src/compose.js';
import { limitsOf } from '../../src/rules/limits/in-force.js';
import { declined } from '../../src/rules/limits/model-failure.js';
import { saysNothing } from '../../src/rules/outputs/empty-phrase.js';
import type { ModelRequestHead } from '../../src/rules/prompts/model-request.js';
import { openChildren } from '../../src/run/agents/children.js';
import { offeredTools } from '../../src/run/agents/run-config.js';
import type { Gate } from '../../src/run/gates/gate.js';
import { type Outcome, outcomeOf } from '../../src/run/limits/cause.js';
import { usageOf } from '../../src/run/limits/usage-by.js';
import type { Message } from '../../src/run/messages/message.js';
import { NO_USAGE, textOf, toolCallsOf } from '../../src/run/messages/message.js';
import { isOpen } from '../../src/run/plan/plan.js';
import { here, steeringAt, tasksAt } from '../../src/run/state/cursor.js';
import { goalTimeMs } from '../../src/run/state/goal.js';
import type { JournalEvent } from '../../src/run/state/journal.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { holdsPrompt, MAIN_THREAD, roleAtHand } from '../../src/run/state/thread.js';
import type { Called, CallOptions } from '../../src/workflows/run/ports.js';
import { modelRequestPage } from '../../src/workflows/run/requests.js';
import { Caps, isLastReply } from './caps.js';
import { expectThat } from './expect-that.js';
import { GateWatch } from './gate-watch.js';
import { MessageWatch, SHORTENS } from './message-watch.js';
import { NOBODY } from './people.js';
import type { PlanEdit } from './plan-book.js';
import { Promises } from './promises.js';
import type { Scenario } from './scenario.js';
import { expectWithinBounds } from './size-watch.js';
import { ToolWatch } from './tool-watch.js';
import { expectPaired, openCalls, Transcript } from './transcript.js';
import { UsageWatch } from './usage-watch.js';

export interface AskedRequest {
  callId: string;
  messages: Message[];
  head: ModelRequestHead;
  toolsOffered: boolean;
}

export class Watcher {
  readonly #scenario: Scenario;
  readonly #transcript = new Transcript();
  readonly #caps: Caps;
  readonly gates = new GateWatch();
  readonly seen = new Set<string>();
  readonly promises = new Promises(this.seen);
  readonly messages = new MessageWatch(this.promises);
  readonly tools: ToolWatch;
  readonly #journal: JournalEvent[] = [];
  /** Time that models and tools took for this goal. */
  #workedMs = 0;
  #modelCalls = new Set<string>();
  /** How each task of the goal ended last, by its events. */
  readonly #endedTasks = new Map<string, string>();
  /** Completed tasks as they were at the last look, by id. */
  #completed = new Map<string, string>();
  /** By thread, the role whose last reply in it was sent back: others may be asked something in between. */
  readonly #sentBack = new Map<string, string | null>();
  /** By thread. */
  readonly #lastRoles = new Map<string, string>();
  /** Threads whose last call offered tools: else what is said beside a stray call is the role's output. */
  readonly #offered = new Set<string>();
  /** Threads whose last reply called tools that it was not offered. */
  readonly #stray = new Set<string>();
  /** Tasks of this goal that were begun. */
  readonly #begun = new Set<string>();
  /** Roles that were asked again at this position, each with its task. */
  readonly #askedAgain = new Set<string>();
  /** Replies that were taken as what they are: each has its step in the trace. */
  #finals = 0;
  /** By thread. */
  readonly #lastWritten = new Map<string, Message>();
  /** How the last call of each line ended: of the run itself, and of each task beside others. */
  readonly #lastEnds = new Map<string, JournalEvent>();
  readonly #lineOfCall = new Map<string, string>();
  readonly #usage = new UsageWatch();
  /** By the call that waited for the agent. */
  readonly #endsOfAgents = new Map<string, Extract<JournalEvent, { type: 'subagent_ended' }>>();

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#caps = new Caps(scenario);
    this.tools = new ToolWatch(scenario, this);
  }

  /** Somebody said something at a gate, and it was taken. */
  answered(state: RunState, gate: Gate, { input, before }: Pick<PlanEdit, 'input' | 'before'>): void {
    const isAgents = state.people.gates.some(open => open.gate.id === gate.id && open.agent !== undefined);
    if (isAgents) return;
    this.gates.answered(gate, input);
    this.promises.answered(state, gate, input);
    if (gate.kind === 'plan' && isRecord(input) && input.decision === 'edit')
      this.promises.plan.edited(state, { input, before, isWhole: true });
  }

  /** An agent has said something, which was heard. */
  heard({ people: { gates } }: RunState): void {
    for (const { gate, agent } of gates) if (agent) this.#caps.ofAgents.add(gate.id);
  }

  /** All that an agent did is this run's: what it used, and that it may have changed what was read. */
  agentEnded(
    id: string,
    { total, end, segment, people }: RunState,
    { tools: { effects }, messages }: Pick<Watcher, 'tools' | 'messages'>,
  ): void {
    this.messages.givenBack(messages);
    for (const entry of total.usageBy) this.#usage.used(entry, usageOf(entry));
    this.#caps.agentEnded(total.turns);
    this.tools.agentEnded(id, effects);
    this.seen.add(`agent ${end?.outcome}`);
    if (segment > 1) this.seen.add('an agent handed over');
    if (people.allowedTools.length > 0) this.seen.add('a tool allowed to an agent');
  }

  worked(ms: number): void {
    this.#workedMs += ms;
  }

  record() {
    return { transcript: this.#transcript.messages, journal: this.#journal, seen: this.seen };
  }

  safePoint(state: RunState, now: number): void {
    const events = this.#follow(state);
    this.#caps.check(state);
    this.#checkTasks(state, events);
    this.#checkPosition(state);
    expectThat(
      Object.values(state.tools.badCalls).every(Number.isInteger),
      'bad calls are counted in numbers',
    );
    if (this.#scenario.thorough) {
      const {
        threads: _threads,
        pinned: _pinned,
        log: { journal },
        ...small
      } = state;
      expectPlainData({ ...small, usedTools: journal.usedTools });
    }
    this.#usage.safePoint(state);
    expectThat(state.goal.counters.toolCalls === this.tools.results, 'every tool result is counted');
    if (this.#scenario.thorough) expectWithinBounds(state);
    this.gates.safePoint(state);
    expectThat(openChildren(state.children).length === 0, 'an agent is open at a safe point');
    expectNoStrayGate(state);
    this.promises.safePoint(state);
    const told = state.log.journal.events;
    const finals = told.filter(({ type }) => type === 'output_read').length;
    expectThat(
      (told[0]?.seq ?? 1) > 1 || finals === this.#finals,
      `${finals} final steps, ${this.#finals} outputs`,
    );
    const counted = goalTimeMs(state.goal, now);
    expectThat(
      counted === this.#workedMs,
      `${counted} ms count for the goal, and ${this.#workedMs} ms were worked`,
    );
  }

  /** At a safe point of a task beside others: what it wrote may be trimmed before the next call. */
  looks(state: RunState): void {
    this.#follow(state);
    expectNoStrayGate(state);
  }

  /** Takes what has happened since the last look. */
  #follow(state: RunState): JournalEvent[] {
    const events = this.#newEvents(state);
    this.#newMessages(state);
    for (const event of events) {
      this.#caps.happened(event, state);
      this.gates.happened(event);
      this.promises.happened(event, state);
      this.#happened(event);
      if (event.type === 'reask') this.#askedAgain.add(positionOf(event));
      if (event.type === 'phase_started' && this.#modelCalls.size === 0) this.#askedAgain.clear();
      // It is tried anew; others beside may have been asked again.
      if (event.type === 'task_started')
        for (const position of this.#askedAgain)
          if (position.endsWith(` ${event.taskId}`)) this.#askedAgain.delete(position);
      const unreadable = event.type === 'output_fallback' && !event.errors.some(isNoFault);
      expectThat(
        !unreadable || this.#wasAskedAgain(event),
        'a reply was given up that was not sent back once',
      );
    }
    return events;
  }

  /** Calls and tasks that the journal begins, it ends. */
  #happened(event: JournalEvent): void {
    switch (event.type) {
      case 'goal_started':
        this.#workedMs = 0;
        this.#completed.clear();
        this.#endedTasks.clear();
        this.#begun.clear();
        this.tools.goalStarted();
        return;
      case 'model_call_started':
        this.#modelCalls.add(event.callId);
        return;
      case 'model_call_ended':
      case 'model_call_failed':
        expectThat(this.#modelCalls.delete(event.callId), `${event.callId} ends, and did not begin`);
        this.#lastEnds.set(this.#lineOfCall.get(event.callId) ?? '', event);
        return;
      case 'task_started':
        this.#begun.add(event.taskId);
        return;
      case 'subagent_ended':
        this.#endsOfAgents.set(event.callId, event);
        return;
      case 'tool_call_ended':
        this.#agentTold(event);
        return;
      case 'task_ended':
        this.#endedTasks.set(event.taskId, event.status);
        return;
      default:
    }
  }

  /** A task that was beside others is named no more when it goes on alone. */
  #wasAskedAgain({ role, taskId }: { role: string; taskId?: string | null }): boolean {
    return [...this.#askedAgain].some(position => {
      const isHere = !taskId || position.endsWith(' ') || position === positionOf({ role, taskId });
      return isHere && position.startsWith(`${role} `);
    });
  }

  #agentTold({ callId, messageId }: Extract<JournalEvent, { type: 'tool_call_ended' }>): void {
    const { id, outcome } = this.#endsOfAgents.get(callId) ?? {};
    const message = this.#transcript.written(messageId);
    if (id === undefined || message?.kind !== 'tool_result') return;
    this.tools.agentTold(id, message.content[0], outcome === 'cancelled');
  }

  #newEvents({ log: { journal } }: RunState): JournalEvent[] {
    const last = this.#journal.at(-1)?.seq ?? 0;
    const events = journal.events.filter(event => event.seq > last);
    events.forEach((event, index) => {
      expectThat(event.seq === last + 1 + index, `journal event ${event.seq} follows ${last + index}`);
      this.seen.add(tagOf(event));
    });
    this.#journal.push(...events);
    expectThat(journal.lastSeq === last + events.length, `journal: last is ${journal.lastSeq}`);
    return events;
  }

  #newMessages(state: RunState): void {
    for (const { thread, message, call } of this.#transcript.look(state)) {
      if (message.kind === 'user' && message.purpose === 'steer') {
        this.tools.doubted();
        // Every task beside others is told the same.
        for (const each of this.#sentBack.keys())
          if (this.#transcript.lineOf(each) !== '') this.#sentBack.delete(each);
      }
      if (message.kind === 'assistant') {
        expectThat(
          declined(message, message.model) === null,
          'a reply that was declined is no part of the conversation',
        );
        this.#usage.used(message, message.usage);
        const calls = toolCallsOf(message).length;
        const isStray = calls > 0 && !(mayCallTools(state, message.role) && this.#offered.has(thread));
        if (isStray) this.#stray.add(thread);
        else this.#stray.delete(thread);
        if (isStray) this.seen.add('a stray tool call');
        if (message.stopReason !== 'interrupted' && (calls === 0 || isStray)) this.#finals += 1;
        this.#lastRoles.set(thread, message.role);
        this.#caps.replied(
          this.#transcript.lineOf(thread),
          message.role,
          message.stopReason === 'interrupted',
        );
        this.seen.add(`reply ${message.stopReason}`);
      } else if (message.kind === 'tool_result') {
        if (call) this.tools.written(call, message.content[0]);
        const { ending } = message.content[0];
        this.seen.add(`result ${ending}`);
      } else if (message.kind === 'user' && message.purpose === 'reask') {
        this.#caps.sentBack(this.#transcript.lineOf(thread));
        this.#finals -= 1;
        expectThat(
          this.#sentBack.get(thread) !== this.#lastRoles.get(thread),
          () => `${message.id} sends a reply back twice in one turn`,
        );
      } else if (message.kind === 'user' && message.purpose === 'instruction') {
        const last = this.#lastWritten.get(thread);
        const again = last?.kind === 'user' && last.purpose === 'instruction';
        expectThat(
          !again ||
            isReminder(message) ||
            textOf(message).includes('<answer_schema>') ||
            here(state.cursor).phase === 'wrap_up' ||
            this.#scenario.people !== NOBODY ||
            // A task whose plan is given up beside it may have got no reply.
            limitsOf(state).parallelTasks > 1,
          () => `instruction ${message.id} follows an instruction that nobody answered`,
        );
      }
      if (message.kind === 'user') {
        const bytes = Buffer.byteLength(textOf(message));
        const most = message.purpose === 'instruction' ? INSTRUCTION_TEXT_BYTES : TEXT_BYTES;
        expectThat(bytes <= most, () => `${message.id} (${message.purpose}) has ${bytes} bytes`);
      }
      // What is said of messages that were trimmed is no turn of anyone, and neither is the end of a stray call.
      const isTurn =
        message.kind === 'user'
          ? !isCutOff(message)
          : message.kind === 'tool_result' && !this.#stray.has(thread);
      if (isTurn) this.#sentBack.set(thread, isReask(message) ? (this.#lastRoles.get(thread) ?? null) : null);
      this.#lastWritten.set(thread, message);
    }
  }

  /** What is called completed is so by the run's own record, and says something. */
  #expectHonest({ tasks }: RunState, { outcome, answer }: { outcome: string; answer: string }): void {
    if (outcome !== 'completed') return;
    expectThat(!saysNothing(answer), `completed with the answer "${answer}"`);
    const latest = Math.max(0, ...tasks.map(task => task.cycle));
    const undone = tasks.find(
      ({ status, cycle }) => !['completed', 'skipped'].includes(status) && cycle === latest,
    );
    expectThat(undone === undefined, `completed, and ${undone?.id} is ${undone?.status}`);
    const unbegun = tasks.find(({ id, status }) => status === 'completed' && !this.#begun.has(id));
    expectThat(unbegun === undefined, `${unbegun?.id} is completed and never began`);
  }

  #checkTasks({ tasks, pinned, limits, cursor, threads }: RunState, events: JournalEvent[]): void {
    const executing = tasks.filter(task => task.status === 'executing');
    const most = Math.max(1, this.#caps.mostSideBySide);
    expectThat(executing.length <= most, `${executing.length} tasks are executing`);
    if (executing.length > 1) this.seen.add('tasks side by side');
    if (here(cursor).phase === 'execution') {
      const ids = executing.map(({ id }) => id).sort();
      const at = tasksAt(cursor).sort();
      expectThat(isDeepStrictEqual(ids, at), `${at} at work, and ${ids} are executing`);
    }
    const branches = cursor.branches.map(({ taskId }) => taskId);
    const lost = Object.values(threads).find(({ branch }) => branch && !branches.includes(branch.taskId));
    expectThat(lost === undefined, `${lost?.id} is a copy of no branch: it was not joined`);
    expectThat(new Set(branches).size === branches.length, `${branches} are branches of one task twice`);
    for (const { id, status, reason } of tasks) {
      const told = status === 'pending' || status === 'executing' || reason === 'rejected';
      expectThat(
        told || this.#endedTasks.get(id) === status,
        `${id} became ${status} (${reason}) without an event`,
      );
    }
    const open = tasks.filter(isOpen).length;
    // The orchestrator reopens what failed, also where a person has filled its position.
    const reopens = pinned?.orchestrate && this.#scenario.people !== NOBODY;
    expectThat(reopens || open <= limitsOf({ pinned, limits }).tasks, `${open} tasks are open`);
    expectThat(new Set(tasks.map(task => task.id)).size === tasks.length, 'task ids are unique');
    const judged = events.some(event => event.type === 'verdict' || event.type === 'goal_started');
    const completed = new Map(
      tasks
        .filter(task => task.status === 'completed')
        // A handover may shorten its report, and a long plan all that it says.
        .map(({ result: _result, description, completionCriteria, requiredCapabilities, ...task }) => {
          const said = { description, completionCriteria, requiredCapabilities };
          return [task.id, JSON.stringify(this.#scenario.longPlans ? task : { ...task, ...said })];
        }),
    );
    for (const [id, was] of this.#completed) {
      expectThat(judged || completed.get(id) === was, `the completed task ${id} changed without a verdict`);
    }
    this.#completed = completed;
  }

  #checkPosition({ cursor, threads }: Pick<RunState, 'cursor' | 'threads'>): void {
    for (const branch of cursor.branches) this.#checkPosition({ cursor: branch.cursor, threads });
    const { batch } = here(cursor).turns;
    if (!batch) return;
    const messages = threads[batch.thread]?.messages ?? [];
    const [call] = openCalls(messages);
    const at = `${batch.messageId} call ${batch.next}`;
    expectThat(call !== undefined, `the batch ${at} is open, and no call is waiting`);
    expectThat(call.id.endsWith(`_${batch.next + 1}`), `the batch is at ${at}, and ${call.id} is waiting`);
  }

  /** A call begins: what would be sent is whole, pairs, and ends with something to answer. */
  modelCalled(state: RunState, input: CallModelInput): AskedRequest {
    this.#follow(state);
    expectThat(state.people.stop === null, `the model was called after the stop (${input.callId})`);
    const thread = state.models.calls.find(({ callId }) => callId === input.callId)?.thread ?? '';
    const line = this.#transcript.lineOf(thread);
    const view = seenFrom(state, line);
    const listens = here(view.cursor).phase === 'steering';
    expectThat(
      state.people.pausedAt === null || listens,
      `the model was called in a paused run (${input.callId})`,
    );
    const retried = this.#isRetried(line);
    this.#lineOfCall.set(input.callId, line);
    if (input.role === 'verifier' && !retried) {
      const open = state.tasks.find(isOpen);
      expectThat(open === undefined, `${open?.id} is ${open?.status} when the verifier is asked`);
    }
    this.#caps.modelCalled(view, line);
    const request = ask(state, input.callId);
    this.promises.modelCalled(view, input, request.messages, retried);
    expectPaired(request.messages);
    if (thread === MAIN_THREAD || state.threads[thread]?.branch?.of === MAIN_THREAD) {
      const goal = request.messages.findLast(each => each.kind === 'user' && each.purpose === 'goal');
      // The state has the head of a long one.
      const begins = (text: string) => text.slice(0, 100);
      const isAtHand = goal !== undefined && begins(textOf(goal)) === begins(state.goal.text);
      expectThat(isAtHand, 'a request has the goal at hand');
    }
    expectThat(request.messages.at(-1)?.kind !== 'assistant', 'a request ends with something to answer');
    if (request.toolsOffered) this.#offered.add(thread);
    else this.#offered.delete(thread);
    const mayCall = request.toolsOffered && mayCallTools(state, input.role);
    expectThat(mayCall === (request.head.toolChoice === 'auto'), `${input.role} may call tools: ${mayCall}`);
    expectRoleNamed(state, input.role, request.messages);
    return request;
  }

  /** The call at hand is the one before, made again: nothing was read between the two. */
  #isRetried(line: string): boolean {
    const before = this.#lastEnds.get(line);
    return before?.type === 'model_call_failed' && TRIED_AGAIN.includes(before.next);
  }

  /** The request is the same as at the begin of the call, whatever happened meanwhile. */
  modelReturned(state: RunState, asked: AskedRequest, called: Called<CallModelResult>): void {
    const failure = called.ok ? declined(called.value, 'p/a') : called.failure;
    if (failure) {
      this.seen.add(`model ${failure.kind} ${failure.type}`);
      const call = state.models.calls.find(({ callId }) => callId === asked.callId);
      if (!call) throw new Error(`${asked.callId} is not kept`);
      this.#usage.used(call, failure.usage ?? NO_USAGE);
    }
    if (!this.#scenario.thorough) return;
    const again = ask(state, asked.callId);
    const same =
      again.messages.length === asked.messages.length &&
      again.messages.every((message, index) => message === asked.messages[index]);
    expectThat(same && isDeepStrictEqual(again.head, asked.head), `the request of ${asked.callId} changed`);
  }

  toolCalled(state: RunState, input: CallToolInput, options: CallOptions): void {
    this.tools.called(state, input, options);
  }

  toolReturned(input: CallToolInput, called: Called<CallToolResult>): void {
    if (!called.ok) this.tools.failed(input, called.failure);
  }

  /** The carried state survives its journey as it is. Notes where the run was. */
  handedOver(state: RunState): RunState {
    const at = here(state.cursor);
    if (this.#scenario.thorough) expectWithinBounds(state);
    this.seen.add(`handover in ${at.phase}`);
    if (tasksAt(state.cursor).length > 1) this.seen.add('handover side by side');
    if (at.turns.batch) this.seen.add('handover in a batch');
    if (at.turns.cut !== null) this.seen.add('handover within a text');
    if (at.turns.reasked) this.seen.add('handover after a re-ask');
    if (isLastReply(at)) this.seen.add('handover in a report');
    if (state.people.stop) this.seen.add('handover while stopping');
    if (this.#scenario.thorough && state.segment % 4 === 2) expectPlainData(state);
    return state;
  }

  /** By the journal alone: an end that is good means that each check passed when it was last made. */
  #expectChecked({ pinned, goal }: RunState, outcome: Outcome): void {
    const checks = pinned?.checks ?? [];
    if (checks.length === 0 || !['completed', 'answered'].includes(outcome)) return;
    expectThat(outcome === 'completed', 'a goal that has checks is answered');
    const begun = this.#journal.findLastIndex(event => event.type === 'goal_started');
    const made = this.#journal.slice(begun + 1).filter(event => event.type === 'check_ended');
    for (const [index] of checks.entries()) {
      const last = made.findLast(({ id }) => id === `c${index + 1}`);
      expectThat(
        last?.status === 'passed',
        `completed, and c${index + 1} is ${last?.status} (goal ${goal.number})`,
      );
    }
  }

  ended(state: RunState): void {
    const { end } = state;
    this.#follow(state);
    this.#caps.check(state);
    this.#transcript.ended();
    if (this.#scenario.thorough) expectPlainData(state);
    expectThat(end !== null, 'the run has an end');
    this.seen.add(`outcome ${end.outcome}`);
    const promises = ['completed', 'answered', 'unverified', 'budget_exhausted'].includes(end.outcome);
    expectThat(!promises || end.answer.trim() !== '', `${end.outcome} without an answer`);
    const verdict = this.#journal.findLast(event => event.type === 'verdict');
    const accepted = verdict?.type === 'verdict' && verdict.done;
    expectThat(end.cause !== 'verified' || accepted, 'verified without a verdict that says so');
    this.#expectChecked(state, end.outcome);
    this.seen.add(`cause ${end.cause}`);
    const { position } = state.cursor;
    const isAfterFailure = position.phase === 'wrap_up' && position.failure !== null;
    if (isAfterFailure) this.seen.add(`wrapped up after a failure, ${end.outcome}`);
    const isOther = ['failed', 'stopped', 'cancelled'].includes(end.outcome);
    expectThat(!isAfterFailure || isOther, `the work failed, and the goal ends as ${end.outcome}`);
    expectThat(outcomeOf(end.cause) === end.outcome, `${end.outcome} with the cause ${end.cause}`);
    this.#expectHonest(state, end);
    const mayStop = state.people.stop !== null || this.#scenario.people !== NOBODY;
    expectThat(end.outcome !== 'stopped' || mayStop, 'stopped, and nobody asked for it');
    expectThat(this.#modelCalls.size === 0, `${[...this.#modelCalls]} began and did not end`);
    const running = state.tasks.find(task => task.status === 'executing');
    expectThat(running === undefined, `${running?.id} is executing still at the end`);
    this.gates.ended(state);
    const broken = ['stopped', 'failed', 'cancelled'].includes(end.outcome) || state.people.stop !== null;
    const trimmed = this.#journal.some(({ type }) => SHORTENS.has(type));
    this.promises.ended(!broken && !trimmed);
    this.messages.ended(state, this.#journal, this.#transcript.messages);
    expectThat(
      steeringAt(state.cursor) === null || end.outcome !== 'completed',
      'a message is being understood at the end',
    );
  }
}

/** What an agent asks is open at its caller no longer than the agent is. */
function expectNoStrayGate({ children, people: { gates } }: RunState): void {
  const open = openChildren(children).map(({ id }) => id);
  const stray = gates.find(({ agent }) => agent && !open.includes(agent.id));
  expectThat(stray === undefined, () => `${stray?.gate.id} of ${stray?.agent?.id} is open after its end`);
}

/** What follows a failure without another look at what has arrived. */
const TRIED_AGAIN = ['reschedule', 'next_model', 'compact'];

/** The state with the position of that line. */
function seenFrom(state: RunState, line: string): RunState {
  const branch = state.cursor.branches.find(({ taskId }) => taskId === line);
  return branch ? { ...state, cursor: branch.cursor } : state;
}

/** All pages of a request. */
function ask(state: RunState, callId: string): AskedRequest {
  const first = modelRequestPage(state, callId, {}, FEATURES);
  const messages = [...first.messages];
  for (let next = first.next; next !== null; ) {
    const page = modelRequestPage(state, callId, { from: next, headKey: first.headKey }, FEATURES);
    messages.push(...page.messages);
    next = page.next;
  }
  expectThat(first.head !== undefined, 'the first page has the head');
  const toolsOffered = state.models.calls.find(call => call.callId === callId)?.toolsOffered ?? false;
  return { callId, messages, head: first.head, toolsOffered };
}

function expectPlainData(value: object): void {
  expectThat(isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value), 'the state is plain JSON data');
}

/** Whether there are tools for the role. */
function mayCallTools({ pinned }: RunState, name: string): boolean {
  const role = pinned?.roles[name];
  return pinned !== null && role !== undefined && offeredTools(pinned, role).length > 0;
}

/** A model knows which role it is: by its system text, or by the prompt in the thread and who was spoken to last. */
function expectRoleNamed({ pinned }: RunState, role: string, messages: readonly Message[]): void {
  if (pinned?.roles[role]?.prefix !== 'shared') return;
  expectThat(holdsPrompt({ messages }, role), `${role} has its prompt in the thread`);
  expectThat(roleAtHand({ messages }) === role, `${role} was spoken to last`);
}

function isReask(message: Message): boolean {
  return message.kind === 'user' && message.purpose === 'reask';
}

/** A task has taken longer than its estimate: said beside how it goes on. */
function isReminder(message: Message): boolean {
  return message.kind === 'user' && textOf(message).includes(' was estimated at ');
}

/** The role, and the task that it was asked for. */
function positionOf({ role, taskId }: { role: string; taskId?: string | null }): string {
  return `${role} ${taskId ?? ''}`;
}

/** Said after a partial reply: it begins no new turn. */
function isCutOff(message: Message): boolean {
  return message.kind === 'user' && textOf(message).startsWith('Your reply was cut off');
}

/** Replies that are read, and are not what is wanted. */
function isNoFault(error: string): boolean {
  return error === 'it called tools' || error.startsWith('The role ');
}

function tagOf(event: JournalEvent): string {
  switch (event.type) {
    case 'tool_call_ended':
      return `tool ${event.ending}`;
    case 'limit_reached':
      return `limit ${event.limit}`;
    case 'task_ended':
      return `task ${event.status} ${event.reason}`;
    case 'route':
      return `route ${event.act}`;
    case 'gate_closed':
      return `gate ${event.kind} ${event.by}`;
    case 'receipt':
      if (event.how.startsWith('Read by')) return 'message read by an agent';
      if (event.how.includes('ended before it read this')) return 'message given back';
      if (event.how.includes('could not take this')) return 'message refused by an agent';
      return `message ${event.state}`;
    case 'orchestration':
      return `orchestration ${event.accepted}`;
    case 'review':
      return `review ${event.approved}`;
    case 'model_call_failed':
      return `then ${event.next}`;
    case 'provider_switch':
      return event.why.startsWith('models.resolver') ? 'a row chooses a model' : event.type;
    default:
      return event.type;
  }
}
