/** The world of one simulated run: `Ports` in memory, with all that may go wrong, drawn from the seed. */
import type {
  CallModelInput,
  CallModelResult,
  CallToolInput,
  CallToolResult,
  CheckEnd,
  CompareFileInput,
  KeepInput,
  LookFinds,
  LookInput,
  MomentEnd,
  MomentInput,
  RunCheckInput,
  TransformInput,
} from '../../src/activities/types.js';
import { folded } from '../../src/conversation/branch-threads.js';
import { fitForHandover } from '../../src/conversation/handover.js';
import type { ContextChange } from '../../src/conversation/transform.js';
import type { ToCaller } from '../../src/rules/agents/agent-message.js';
import type { ComparedFile } from '../../src/rules/gates/whole-write.js';
import { wholeWrite } from '../../src/rules/gates/whole-write.js';
import type { ModelRequestPage } from '../../src/rules/prompts/model-request.js';
import type { AgentEnd } from '../../src/run/agents/children.js';
import { isPaused, openChildren } from '../../src/run/agents/children.js';
import type { PinnedRun } from '../../src/run/agents/run-config.js';
import type { CallFailure } from '../../src/run/limits/failure.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { messageNumber, numberOf, recordsBetween } from '../../src/run/state/stored-line.js';
import type {
  Called,
  CallOptions,
  ChildStart,
  Ports,
  ToChild,
  WorkflowCall,
  WorkflowEnd,
} from '../../src/workflows/run/ports.js';
import { modelRequestPage, toolArguments } from '../../src/workflows/run/requests.js';
import type { Run } from '../../src/workflows/run/run.js';
import { besideRun, hearersBeside } from './beside.js';
import { CallPlaces } from './call-places.js';
import { expectThat } from './expect-that.js';
import { CANCELLED, modelFailure, NOT_SENT, toolFailure, toolResultOf } from './failures.js';
import { filesFound } from './files.js';
import { Offers } from './offers.js';
import { Random } from './random.js';
import { partialReply, randomReply } from './replies.js';
import type { Scenario } from './scenario.js';
import type { Surroundings } from './surroundings.js';
import type { Watcher } from './watcher.js';

/** What continue-as-new throws on the platform: the input of the next segment, as it travels. */
export class HandedOver {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

/** What the platform throws in a cancelled run. */
export class Cancelled {}

/** `tight`: at random safe points, with so little room that threads are shortened. */
export type HandoverPolicy = 'never' | 'every' | 'tight';

export interface Course {
  policy: HandoverPolicy;
  /** Tasks side by side come together at each of their safe points, as they do where each is a handover. */
  inStep: boolean;
}

/** A call of model or tool; `number`: of the run, from 1; `ofAll`: of the tree, from 1. */
interface InFlight {
  number: number;
  ofAll: number;
  /** What its random numbers are drawn by. */
  position: number | string;
  since: number;
  random: Random;
  interruptible: boolean;
  interrupted: boolean;
}

export class World implements Ports {
  readonly chainId = 'chain-1';
  readonly runId = 'run-1';
  readonly scenario: Scenario;
  readonly #policy: HandoverPolicy;
  readonly #inStep: boolean;
  readonly #watcher: Watcher;
  readonly #around: Surroundings;
  #run: Run | null = null;
  #calls = 0;
  #failures = 0;
  #safePointsOfPart = 0;
  readonly #inFlight = new Set<InFlight>();
  #cancelled = false;
  readonly #positions = new CallPlaces();
  readonly #beside = besideRun();
  readonly #hearers = hearersBeside();
  /** The run is to continue as new while it waits; and it just did. */
  #suggested = false;
  #handedOverInWait = false;
  #waits = 0;
  #offers = new Offers();
  /** What the store has. */
  readonly #kept = new Set<string>();

  constructor(scenario: Scenario, { policy, inStep }: Course, watcher: Watcher, around: Surroundings) {
    this.scenario = scenario;
    this.#policy = policy;
    this.#inStep = inStep;
    this.#watcher = watcher;
    this.#around = around;
    around.timeline.watch(ms => {
      if (this.#run && !this.#waitsForPerson(this.#run)) watcher.worked(ms);
    });
  }

  /** The part of the run that this world now serves. */
  serve(run: Run): void {
    this.#run = run;
    this.#offers = new Offers();
    this.#safePointsOfPart = 0;
  }

  now(): number {
    return this.#around.timeline.now;
  }

  /** The goal's time stands still: see `keepTime`. */
  #waitsForPerson({ state: { children, people } }: Run): boolean {
    const agents = openChildren(children);
    if (this.#inFlight.size > 0) return false;
    if (agents.length === 0) return this.#around.timeline.isWaiting(this.#around.path);
    const asks = people.gates.filter(({ answer }) => answer === null).map(({ agent }) => agent?.id);
    return agents.every(({ id }) => isPaused(children, id) || asks.includes(id));
  }

  /** What a run pins is loaded, which takes a moment. */
  async loads(): Promise<void> {
    await this.#ends(this.#begin('model', { interruptible: true }), 20);
  }

  async resolveModel(): Promise<Called<{ model: string | null }>> {
    return { ok: true, value: { model: null } };
  }

  /** By what it is asked about, and nothing else: whole and in parts it is asked the same. */
  #changeContext({ callId }: TransformInput): Called<Required<ContextChange>> {
    const { messages } = modelRequestPage(this.#runState(), callId);
    const random = new Random(this.scenario.seed, 'transform', messages.length);
    if (random.chance(0.1)) return { ok: false, failure: { kind: 'application', type: '', message: 'no' } };
    const some = (share: number) => messages.filter(() => random.chance(share)).map(({ id }) => id);
    const isNoted = messages.some(message => message.kind === 'user' && message.purpose === 'context');
    this.#watcher.seen.add('a transform');
    return {
      ok: true,
      value: {
        leaveOut: some(0.1),
        replace: some(0.1).map(id => ({ id, text: 'Something else.' })),
        add: isNoted ? [] : [{ text: 'A note.', ...(random.chance(0.5) && { after: some(0.5)[0] ?? 'm0' }) }],
      },
    };
  }

  offer(page: ModelRequestPage): void {
    this.#offers.add(page);
  }

  async callModel(input: CallModelInput, options: CallOptions): Promise<Called<CallModelResult>> {
    const state = this.#runState();
    const call = this.#begin('model', options, this.#positions.ofModel(this.#runState(), input));
    const { random } = call;
    const request = this.#watcher.modelCalled(state, input);
    this.#around.book.modelCalled(this.#around.path, state, input);
    if (this.scenario.thorough) this.#offers.check(request);
    if (this.#inFlight.size > 1) this.#watcher.seen.add('models at the same time');
    await this.#ends(call, random.int(0, 2_000));
    if (input.role === 'verifier')
      this.#around.crowd.meddles(new Random(this.scenario.seed, 'meddle', this.#calls));
    if (this.#around.path !== '') this.#isVisited(call.number);
    const called = this.#modelEnd(call, input, request.toolsOffered);
    this.#watcher.modelReturned(state, request, called);
    this.#around.book.modelReturned(this.#around.path, input.model, called);
    return called;
  }

  /** A moment later: what comes at the very time at which an agent goes on, one that is handed over has earlier. */
  #isVisited(number: number): void {
    const { timeline, path, crowd } = this.#around;
    const random = new Random(this.scenario.seed, 'visit', number);
    const at = this.now() + random.int(1, 1_000);
    timeline.schedule(at, { path, number }, () => crowd.visits(random));
  }

  #modelEnd(
    { random, interrupted }: InFlight,
    input: CallModelInput,
    toolsOffered: boolean,
  ): Called<CallModelResult> {
    const { pinned } = this.scenario;
    const cut = interrupted || this.#cancelled ? random.int(0, 4) : null;
    if (cut === 0) return { ok: false, failure: CANCELLED };
    if (cut === 1 || this.#fails(random)) return { ok: false, failure: modelFailure(random) };
    const role = pinned.roles[input.role];
    if (!role) throw new Error(`no role ${input.role}`);
    const callsTools = toolsOffered && role.tools.length > 0;
    const reply =
      cut === 2 || cut === 3 ? partialReply(random) : randomReply(random, this.scenario, role, callsTools);
    const inputTokens = random.int(1, 200);
    const value: CallModelResult = {
      ...reply,
      usage: {
        inputTokens,
        outputTokens: random.int(0, 50),
        cachedInputTokens: Math.floor(inputTokens / 2),
        cacheWriteInputTokens: inputTokens % 2,
        reasoningTokens: 0,
        costUsd: input.model === 'p/b' ? null : random.int(0, 9) / 1_024,
      },
      durationMs: random.int(1, 2_000),
    };
    return { ok: true, value };
  }

  /** A description differs each time: what tools do stays as the watchers know it. */
  async reloadTools(): Promise<Called<Pick<PinnedRun, 'tools' | 'fallbackServer'>>> {
    this.#calls += 1;
    this.#around.timeline.calls += 1;
    const random = new Random(this.scenario.seed, 'reload', this.#calls);
    await null;
    this.#around.moments.strike('during', this.#around.timeline.calls);
    if (this.#fails(random)) return { ok: false, failure: toolFailure(random) };
    const [first, ...others] = this.#runState().pinned?.tools ?? [];
    const { fallbackServer } = this.scenario.pinned;
    const tools = first ? [{ ...first, description: `Listed with call ${this.#calls}.` }, ...others] : [];
    return { ok: true, value: { tools, fallbackServer } };
  }

  async callTool(input: CallToolInput, options: CallOptions): Promise<Called<CallToolResult>> {
    const call = this.#begin('tool', options, this.#positions.ofTool(input.toolUseId));
    const ofFeature = [...this.#beside.values()].some(feature => feature.read(input.arguments?.ref) !== null);
    const ofCheck = this.#runState().cursor.position.phase === 'checking';
    const watched = !ofFeature && !ofCheck;
    if (watched) this.#watcher.toolCalled(this.#runState(), input, options);
    const together = this.#inFlight.size > 1;
    if (together) this.#watcher.seen.add('tools at the same time');
    await this.#ends(call, call.random.int(0, 500));
    if (together) this.#around.crowd.interrupts(new Random(this.scenario.seed, 'interrupt', call.number));
    const called = this.#toolEnd(call);
    if (watched) this.#watcher.toolReturned(input, called);
    if (!ofCheck && called.ok && called.value.ending === 'executed')
      this.#watcher.tools.hasEffect(input.toolUseId, input.tool);
    return called;
  }

  async runCheck({ check }: RunCheckInput, options: CallOptions): Promise<Called<CheckEnd>> {
    const call = this.#begin('check', options);
    await this.#ends(call, call.random.int(0, 30_000));
    const { random, interrupted } = call;
    const { seen } = this.#watcher;
    if ((interrupted || this.#cancelled) && random.chance(0.7)) {
      seen.add('a check interrupted');
      return { ok: false, failure: CANCELLED };
    }
    if (random.chance(0.05))
      return {
        ok: false,
        failure: { kind: random.pick(['lost', 'timedOut'] as const), type: '', message: 'gone' },
      };
    expectThat(
      !('tool' in check) || check.matches !== undefined,
      'a worker was asked about a call of a tool',
    );
    const status = random.weighted([
      [6, 'passed'],
      [3, 'failed'],
      [1, 'not_run'],
    ] as const);
    return {
      ok: true,
      value: {
        status,
        why: 'so it is',
        ...(status === 'failed' && { output: 'x'.repeat(random.int(0, 4_000)) }),
      },
    };
  }

  async activity(name: string, given: unknown, options: CallOptions): Promise<Called<unknown>> {
    if (name === 'steersmanTransform') return this.#changeContext(given as TransformInput);
    const { callId, ...input } = given as { callId?: string; arguments?: Record<string, unknown> };
    const call = this.#begin('tool', options, callId ?? name);
    const { random } = call;
    const args = input.arguments ?? (callId === undefined ? {} : toolArguments(this.#runState(), callId));
    await this.#ends(call, random.int(0, 500));
    if ((call.interrupted || this.#cancelled) && random.chance(0.5)) return { ok: false, failure: CANCELLED };
    if (this.#fails(random)) return { ok: false, failure: toolFailure(random) };
    const done = this.#beside.get(name)?.runs(random, given, args);
    if (!done) throw new Error(`no feature has an activity ${name}`);
    this.#watcher.seen.add(done.seen);
    return { ok: true, value: done.value };
  }

  async compareFile({ callId, ...input }: CompareFileInput): Promise<Called<ComparedFile>> {
    const write = wholeWrite(input.arguments ?? toolArguments(this.#runState(), callId));
    expectThat(write !== null, `the call ${callId} writes no whole file`);
    expectThat(!this.scenario.settings.autoApprove, 'a file was read where nobody is asked');
    expectThat(this.scenario.settings.attended === true, 'a file was read where nobody attends');
    this.#watcher.seen.add('a file was compared');
    await this.#until(this.now(), this.#calls);
    const random = new Random(this.scenario.seed, 'compare', callId);
    return random.chance(0.8)
      ? { ok: true, value: { kind: 'changed', diff: '-old\n+new' } }
      : { ok: false, failure: CANCELLED };
  }

  async look<I extends LookInput>(input: I): Promise<Called<LookFinds[I['at']]>> {
    this.#watcher.seen.add(`files were looked at: ${input.at}`);
    await this.#until(this.now(), this.#calls);
    const random = new Random(this.scenario.seed, 'look', JSON.stringify({ ...input, since: null }));
    if (random.chance(0.1)) return { ok: false, failure: CANCELLED };
    return { ok: true, value: filesFound(random, input) as LookFinds[I['at']] };
  }

  #toolEnd({ random, position, interrupted }: InFlight): Called<CallToolResult> {
    const cut = interrupted || this.#cancelled ? random.int(0, 2) : null;
    if (cut === 0) return { ok: false, failure: CANCELLED };
    if (cut === 1) {
      return { ok: true, value: { ending: 'cancelled', content: [], isError: true, durationMs: 3 } };
    }
    if (this.#fails(random)) return { ok: false, failure: toolFailure(random) };
    const value = toolResultOf(random, this.scenario, `result ${position}`);
    if (this.scenario.byPlace) return { ok: true, value };
    return { ok: true, value: random.chance(0.1) ? { ...value, toolsChangedAt: this.now() } : value };
  }

  #begin(
    kind: 'model' | 'tool' | 'check',
    { interruptible }: Pick<CallOptions, 'interruptible'>,
    at = kind as string,
  ): InFlight {
    this.#calls += 1;
    this.#around.timeline.calls += 1;
    const number = this.#calls;
    const position = this.scenario.byPlace ? this.#positions.numbered(at) : number;
    const random = new Random(this.scenario.seed, kind, position);
    const ofAll = this.#around.timeline.calls;
    const call = { number, ofAll, position, since: this.now(), random, interruptible, interrupted: false };
    this.#inFlight.add(call);
    return call;
  }

  /** Calls that run at the same time take the time of the longest; what people do meanwhile, they do at the end. */
  async #ends(call: InFlight, ms: number): Promise<void> {
    await this.#until(call.since + ms, call.number);
    this.#around.moments.strike('during', call.ofAll);
    this.#inFlight.delete(call);
  }

  #until(at: number, number: number): Promise<void> {
    const { timeline, path } = this.#around;
    return timeline.until(at, { path, number });
  }

  #isSideBySide(): boolean {
    return this.#runState().cursor.branches.length > 0;
  }

  #fails(random: Random): boolean {
    const fails = random.chance(this.scenario.failureRate) && this.#failures < this.scenario.maxFailures;
    if (fails) this.#failures += 1;
    return fails;
  }

  /** People come while all runs wait, until what one waits for is there or they have gone; then time passes. */
  async wait(done: () => boolean, timeoutMs: number | null): Promise<void> {
    const { timeline, path } = this.#around;
    let random: Random | null = null;
    const isOver = () => done() || this.#cancelled || this.#suggested;
    await timeline.wait({
      path,
      isOver,
      deadline: timeoutMs === null ? null : this.now() + timeoutMs,
      idle: () => {
        if (!random) {
          // The next segment begins with a safe point, where these would come first.
          this.#around.moments.strike('after', timeline.calls);
          if (isOver() || this.#handsOverInWait()) return;
          this.#handedOverInWait = false;
          this.#waits += 1;
          random = new Random(this.scenario.seed, 'wait', this.#waits);
          this.#watcher.seen.add('a wait');
        }
        this.#somebodyComes(random);
      },
    });
  }

  #handsOverInWait(): boolean {
    const may = this.#policy === 'every' && !this.#handedOverInWait && this.#waits % 3 === 0;
    this.#suggested = may && this.#isOneWait();
    return this.#suggested;
  }

  #somebodyComes(random: Random): void {
    const { timeline, crowd } = this.#around;
    const { left } = timeline;
    const moment = random.int(1, 400);
    if (left !== null && moment >= left) {
      timeline.pass(left);
      return;
    }
    timeline.pass(moment);
    if (crowd.comes(random)) return;
    if (left === null) crowd.letGoOn();
    else timeline.pass(left - moment);
  }

  /**
   * A run that is paused while it asks waits twice: for the answer, and before its next call. The next segment of
   * it does so in the other order, so the two can not be compared.
   */
  #isOneWait(): boolean {
    const { pausedAt, gates } = this.#runState().people;
    return this.#around.timeline.waits === 1 && (pausedAt === null || gates.length === 0);
  }

  handoverNear(): boolean {
    if (this.#inStep || this.#policy === 'every') return true;
    return this.#policy === 'tight' && new Random(this.scenario.seed, 'near', this.#calls).chance(0.3);
  }

  handoverSuggested(): boolean {
    return this.#suggested;
  }

  async startRun(id: string, goal: string): Promise<string> {
    this.#watcher.messages.startedRun(goal);
    return id;
  }

  async callWorkflow({ check }: WorkflowCall, options: CallOptions): Promise<Called<WorkflowEnd>> {
    const call = this.#begin('tool', options, this.#positions.ofTool(check.toolUseId));
    this.#watcher.toolCalled(this.#runState(), check, { ...options, interruptible: false });
    const ms = call.random.int(2, 1_000);
    await this.#until(call.since + ms / 2, call.number);
    this.#around.crowd.interrupts(new Random(this.scenario.seed, 'interrupt', call.number), 0.6);
    await this.#ends(call, ms);
    const called = this.#workflowEnd(call, check);
    if (!called.ok) this.#watcher.tools.failed(check, called.failure);
    return called;
  }

  /** What it does is done halfway: one that is cancelled then has done it all the same. */
  #workflowEnd({ random, interrupted }: InFlight, { toolUseId, tool }: CallToolInput): Called<WorkflowEnd> {
    const isCut = interrupted || this.#cancelled;
    const ended = (failure: CallFailure) => ({ ok: false, failure }) as const;
    if (!random.chance(isCut ? 0.7 : 0.95)) return ended(isCut ? CANCELLED : NOT_SENT);
    this.#watcher.tools.hasEffect(toolUseId, tool);
    if (isCut) this.#watcher.seen.add('a workflow cut off after its effect');
    if (isCut && random.chance(0.7)) return ended(CANCELLED);
    if (this.#fails(random)) return ended({ ...CANCELLED, kind: random.pick(['lost', 'timedOut']) });
    const threw: WorkflowEnd = { kind: 'threw', why: 'No more of it.' };
    return { ok: true, value: random.chance(0.1) ? threw : { kind: 'returned', value: 'ordered' } };
  }

  callSubagent(child: ChildStart): Promise<AgentEnd> {
    const { children, cursor } = this.#runState();
    const { seen } = this.#watcher;
    if (openChildren(children).length > 1) seen.add('agents at the same time');
    if (cursor.branches.length > 1) seen.add('an agent of a task beside others');
    if (this.#around.path !== '') seen.add('an agent of an agent');
    return this.#around.agents.callSubagent(child);
  }

  tellSubagent(id: string, message: ToChild, told: (found: boolean) => void): void {
    this.#around.agents.tellSubagent(id, message, told);
  }

  cancelSubagents(): void {
    this.#around.agents.cancelSubagents();
  }

  tellCaller(message: ToCaller): void {
    this.#around.agents.tellCaller(message);
  }

  callerTold(): Promise<void> | null {
    return this.#around.agents.callerTold();
  }

  async storeText(): Promise<Called<{ ref: string }>> {
    return { ok: true, value: { ref: 'ref-1' } };
  }

  async openSession(): Promise<Called<{ messages: [] }>> {
    return { ok: true, value: { messages: [] } };
  }

  async keep({ after, upTo }: Pick<KeepInput, 'after' | 'upTo'>): Promise<Called<null>> {
    const state = this.#runState();
    for (const record of recordsBetween(state, after, upTo)) {
      const name = `${record.kind} ${numberOf(record)}`;
      expectThat(!this.#kept.has(name), () => `${name} is kept twice`);
      this.#kept.add(name);
    }
    const said = Object.values(state.threads).flatMap(({ messages }) => messages);
    const missing = said
      .map(messageNumber)
      .filter(number => number > 0 && !this.#kept.has(`message ${number}`));
    expectThat(missing.length === 0, () => `the messages ${missing.join(', ')} are not kept`);
    this.#watcher.seen.add('a conversation is kept');
    return { ok: true, value: null };
  }

  async tell(input: MomentInput): Promise<Called<MomentEnd>> {
    for (const hearer of this.#hearers) {
      const seen = hearer.hears(input, this.#runState());
      if (seen !== null) this.#watcher.seen.add(seen);
    }
    const { hooks } = this.#runState().pinned ?? {};
    // Which turn has which number says the order of tasks.
    const mayStop = input.at === 'turn' && hooks !== undefined && !this.scenario.independent;
    const goOn = !mayStop || !new Random(this.scenario.seed, input.key).chance(0.01);
    if (!goOn) this.#watcher.seen.add('a hook says no');
    return { ok: true, value: { goOn } };
  }

  cancelCalls(): void {
    const calls = [...this.#inFlight].filter(call => call.interruptible);
    for (const call of calls) call.interrupted = true;
    if (calls.length > 1) this.#watcher.seen.add('tools interrupted together');
  }

  throwIfCancelled(): void {
    if (this.#isSideBySide()) this.#watcher.looks(this.#runState());
    this.#around.moments.strike('after', this.#around.timeline.calls);
    if (this.#cancelled) throw new Cancelled();
  }

  /** As the platform cancels a workflow, and with it those that it called. */
  cancel(): void {
    this.#cancelled = true;
    this.cancelSubagents();
  }

  /** Between the last look but one and the end: the platform stores a long trace there. */
  async beforeEnd(): Promise<void> {
    await null;
    this.#hurries('late', this.#calls);
  }

  /** People know of the lead's moments only. */
  #hurries(when: string, number: number): void {
    if (this.#around.path === '') this.#around.crowd.hurries(new Random(this.scenario.seed, when, number));
  }

  /** The first safe point of a later part is the position where the segment before it ended. */
  handoverDue(state: RunState): boolean {
    this.#watcher.safePoint(state, this.now());
    this.looksBeside();
    this.#safePointsOfPart += 1;
    if (this.#policy === 'never' || (state.segment > 1 && this.#safePointsOfPart === 1)) return false;
    return this.#policy === 'every' || new Random(this.scenario.seed, 'handover', this.#calls).chance(0.3);
  }

  async handOver(state: RunState): Promise<never> {
    await null;
    for (let told = this.callerTold(); told; told = this.callerTold()) await told;
    // The uninterrupted run has no such moment: only where nothing is compared with it do people come in it.
    if (this.#policy === 'tight') this.#hurries('over', state.segment);
    this.#handedOverInWait = this.#suggested;
    this.#suggested = false;
    const runId = `run-${state.segment}`;
    const carried =
      this.#policy === 'tight'
        ? fitForHandover(state, runId, this.now(), this.#tooFewBytes(state))
        : fitForHandover(state, runId, this.now());
    throw new HandedOver(JSON.stringify(this.#watcher.handedOver(carried)));
  }

  /** A little less than the state has, and now and then less than any state can be cut down to. */
  #tooFewBytes(state: RunState): number {
    const share = new Random(this.scenario.seed, 'room', this.#calls).chance(0.2) ? 0.2 : 0.9;
    return Math.floor(JSON.stringify({ ...state, threads: folded(state.threads) }).length * share);
  }

  /** What must hold of the parts of features. */
  looksBeside(): void {
    for (const feature of this.#beside.values()) feature.check(this.#runState());
  }

  show(): void {}

  #servedRun(): Run {
    if (!this.#run) throw new Error('no run is served yet');
    return this.#run;
  }

  #runState(): RunState {
    return this.#servedRun().state;
  }
}
