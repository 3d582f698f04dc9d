/** The world of one simulated run: `Ports` in memory, with all that may go wrong, drawn from the seed. */
import type {
  CallModelInput,
  CallModelResult,
  CallToolInput,
  CallToolResult,
  CompareFileInput,
  EditArtifactInput,
} from '../../src/activities/types.js';
import type { ArtifactEdited } from '../../src/core/artifacts.js';
import { folded } from '../../src/core/forks.js';
import type { ComparedFile } from '../../src/core/gates/whole-write.js';
import { wholeWrite } from '../../src/core/gates/whole-write.js';
import { fitForHandover } from '../../src/core/handover.js';
import type { ModelRequestPage } from '../../src/core/model-request.js';
import type { PinnedRun } from '../../src/core/run-config.js';
import type { RunState } from '../../src/core/run-state.js';
import { toolArguments } from '../../src/workflows/platform/requests.js';
import type { Called, CallOptions, Ports } from '../../src/workflows/ports.js';
import type { Run } from '../../src/workflows/run.js';
import { ArtifactStore } from './artifact-store.js';
import { Crowd } from './crowd.js';
import { expectThat } from './expect-that.js';
import { asTask, CANCELLED, modelFailure, toolFailure, toolResultOf } from './failures.js';
import { Offers } from './offers.js';
import { Random } from './random.js';
import { partialReply, randomReply } from './replies.js';
import type { Moment, Scenario } from './scenario.js';
import type { Watcher } from './watcher.js';

/** What continue-as-new throws on the platform: the input of the next part, as it travels. */
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

/** A call of model or tool; `number`: of all, from 1. */
interface InFlight {
  number: number;
  since: number;
  random: Random;
  interruptible: boolean;
  interrupted: boolean;
}

/** After all that goes on by itself. */
function soon(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

export class World implements Ports {
  readonly scenario: Scenario;
  readonly #policy: HandoverPolicy;
  readonly #inStep: boolean;
  readonly #watcher: Watcher;
  #run: Run | null = null;
  #clock = 1_700_000_000_000;
  #calls = 0;
  #failures = 0;
  #safePointsOfPart = 0;
  readonly #inFlight = new Set<InFlight>();
  #cancelled = false;
  #struck = new Set<Moment>();
  readonly #artifacts = new ArtifactStore();
  readonly #crowd: Crowd;
  /** The run is to continue as new while it waits; and it just did. */
  #suggested = false;
  #handedOverInWait = false;
  #waits = 0;
  #offers = new Offers();

  constructor(scenario: Scenario, { policy, inStep }: Course, watcher: Watcher) {
    this.scenario = scenario;
    this.#policy = policy;
    this.#inStep = inStep;
    this.#watcher = watcher;
    this.#crowd = new Crowd(scenario, watcher);
  }

  /** The part of the run that this world now serves. */
  serve(run: Run): void {
    this.#run = run;
    this.#offers = new Offers();
    this.#safePointsOfPart = 0;
  }

  now(): number {
    return this.#clock;
  }

  async resolveModel(): Promise<Called<{ model: string | null }>> {
    return { ok: true, value: { model: null } };
  }

  offer(page: ModelRequestPage): void {
    this.#offers.add(page);
  }

  async callModel(input: CallModelInput, options: CallOptions): Promise<Called<CallModelResult>> {
    const state = this.#runState();
    const call = this.#begin('model', options);
    const { random } = call;
    const request = this.#watcher.modelCalled(state, input);
    if (this.scenario.thorough) this.#offers.check(request);
    if (this.#inFlight.size > 1) this.#watcher.seen.add('models at the same time');
    await this.#passes(call.number);
    this.#strike('during', call.number);
    if (input.role === 'verifier')
      this.#crowd.meddles(this.#servedRun(), new Random(this.scenario.seed, 'meddle', this.#calls));
    this.#end(call, random.int(0, 2_000));
    const called = this.#modelEnd(call, input, request.toolsOffered);
    this.#watcher.modelReturned(state, request, called);
    return called;
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
    const random = new Random(this.scenario.seed, 'reload', this.#calls);
    await null;
    this.#strike('during', this.#calls);
    if (this.#fails(random)) return { ok: false, failure: toolFailure(random) };
    const [first, ...others] = this.#runState().pinned?.tools ?? [];
    const { fallbackServer } = this.scenario.pinned;
    const tools = first ? [{ ...first, description: `Listed with call ${this.#calls}.` }, ...others] : [];
    return { ok: true, value: { tools, fallbackServer } };
  }

  async callTool(input: CallToolInput, options: CallOptions): Promise<Called<CallToolResult>> {
    const call = this.#begin('tool', options);
    const artifact = this.#artifacts.read(input.arguments?.ref);
    if (artifact === null) this.#watcher.toolCalled(this.#runState(), input, options);
    if (input.task) this.#watcher.seen.add('a task asked for again');
    const together = this.#inFlight.size > 1;
    if (together) this.#watcher.seen.add('tools at the same time');
    await this.#passes(call.number, together);
    this.#strike('during', call.number);
    if (together)
      this.#crowd.interrupts(this.#servedRun(), new Random(this.scenario.seed, 'interrupt', call.number));
    this.#end(call, call.random.int(0, 500));
    const ended = this.#toolEnd(call);
    const called = artifact === null ? asTask(input, ended, this.scenario.seed) : ended;
    if (artifact === null) this.#watcher.toolReturned(input, called);
    return called;
  }

  async editArtifact(input: EditArtifactInput, options: CallOptions): Promise<Called<ArtifactEdited>> {
    const call = this.#begin('tool', options);
    const { random, number } = call;
    const args = input.arguments ?? toolArguments(this.#runState(), input.callId);
    await this.#passes(number);
    this.#strike('during', number);
    this.#end(call, random.int(0, 500));
    if ((call.interrupted || this.#cancelled) && random.chance(0.5)) return { ok: false, failure: CANCELLED };
    if (this.#fails(random)) return { ok: false, failure: toolFailure(random) };
    const value = this.#artifacts.edit(random, input, args);
    this.#watcher.seen.add('fault' in value ? 'an artifact that was not changed' : 'an artifact was written');
    return { ok: true, value };
  }

  async compareFile({ callId, ...input }: CompareFileInput): Promise<Called<ComparedFile>> {
    const write = wholeWrite(input.arguments ?? toolArguments(this.#runState(), callId));
    expectThat(write !== null, `the call ${callId} writes no whole file`);
    expectThat(!this.scenario.settings.autoApprove, 'a file was read where nobody is asked');
    expectThat(this.scenario.settings.attended === true, 'a file was read where nobody attends');
    this.#watcher.seen.add('a file was compared');
    await this.#passes(this.#calls);
    const random = new Random(this.scenario.seed, 'compare', callId);
    return random.chance(0.8)
      ? { ok: true, value: { kind: 'changed', diff: '-old\n+new' } }
      : { ok: false, failure: CANCELLED };
  }

  #toolEnd({ random, number, interrupted }: InFlight): Called<CallToolResult> {
    const cut = interrupted || this.#cancelled ? random.int(0, 2) : null;
    if (cut === 0) return { ok: false, failure: CANCELLED };
    if (cut === 1) {
      return { ok: true, value: { ending: 'cancelled', content: [], isError: true, durationMs: 3 } };
    }
    if (this.#fails(random)) return { ok: false, failure: toolFailure(random) };
    const value = toolResultOf(random, this.scenario, `result ${number}`);
    return { ok: true, value: random.chance(0.1) ? { ...value, toolsChangedAt: this.#clock } : value };
  }

  #begin(kind: 'model' | 'tool', { interruptible }: CallOptions): InFlight {
    this.#calls += 1;
    const number = this.#calls;
    const random = new Random(this.scenario.seed, kind, number);
    const call = { number, since: this.#clock, random, interruptible, interrupted: false };
    this.#inFlight.add(call);
    return call;
  }

  /**
   * Those that began together end in any order. Where tasks run side by side, nothing comes from outside while one of
   * them is between two calls, as on the platform.
   */
  async #passes(number: number, together = false): Promise<void> {
    const turns = new Random(this.scenario.seed, 'order', number).int(0, 3);
    if (this.#isSideBySide()) for (let left = turns; left >= 0; left -= 1) await soon();
    else for (let left = together ? turns : 0; left >= 0; left -= 1) await null;
  }

  #isSideBySide(): boolean {
    return this.#runState().cursor.lanes.length > 0;
  }

  /** Calls that run at the same time take the time of the longest. */
  #end(call: InFlight, ms: number): void {
    this.#inFlight.delete(call);
    const worked = Math.max(0, call.since + ms - this.#clock);
    this.#clock += worked;
    this.#watcher.worked(worked);
  }

  #fails(random: Random): boolean {
    const fails = random.chance(this.scenario.failureRate) && this.#failures < this.scenario.maxFailures;
    if (fails) this.#failures += 1;
    return fails;
  }

  /** People come while a run waits, until what it waits for is there or they have gone; then time passes. */
  async wait(done: () => boolean, timeoutMs: number | null): Promise<void> {
    if (await this.#waitsBesideOthers(done, timeoutMs)) return;
    // The next part begins with a safe point, where these would come first.
    this.#strike('after');
    if (done() || this.#cancelled) return;
    if (this.#policy === 'every' && !this.#handedOverInWait && this.#waits % 3 === 0 && this.#isOneWait()) {
      this.#suggested = true;
      return;
    }
    this.#handedOverInWait = false;
    this.#waits += 1;
    const random = new Random(this.scenario.seed, 'wait', this.#waits);
    this.#watcher.seen.add('a wait');
    for (let left = timeoutMs; !done(); ) {
      const moment = random.int(1, 400);
      if (left !== null && (moment >= left || !this.#crowd.comes(this.#servedRun(), random))) {
        this.#clock += left;
        return;
      }
      this.#clock += moment;
      if (left !== null) left -= moment;
      else if (!this.#crowd.comes(this.#servedRun(), random)) this.#crowd.letGoOn(this.#servedRun());
      await null;
    }
  }

  /** The wait of a task beside which others are at work: their calls take the time, and now and then somebody comes. */
  async #waitsBesideOthers(done: () => boolean, timeoutMs: number | null): Promise<boolean> {
    if (!this.#isSideBySide()) return false;
    const since = this.#clock;
    const isOver = () => done() || (timeoutMs !== null && this.#clock >= since + timeoutMs);
    for (let idle = 0; idle < 20; idle += 1) {
      if (isOver()) return true;
      await soon();
      if (this.#inFlight.size > 0) idle = 0;
    }
    return isOver();
  }

  /**
   * A run that is paused while it asks waits twice: for the answer, and before its next call. The next part of
   * it does so in the other order, so the two can not be compared.
   */
  #isOneWait(): boolean {
    const { pausedAt, gates } = this.#runState().people;
    return pausedAt === null || gates.length === 0;
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

  callWorkflow(): Promise<never> {
    return Promise.reject(new Error('no workflow is called here'));
  }

  callSubagent(): Promise<never> {
    return Promise.reject(new Error('no sub-agent is called here'));
  }

  tellSubagent(): void {}

  cancelSubagents(): void {}

  tellCaller(): void {}

  callerTold(): null {
    return null;
  }

  async storeText(): Promise<Called<{ ref: string }>> {
    return { ok: true, value: { ref: 'ref-1' } };
  }

  interrupt(): void {
    const calls = [...this.#inFlight].filter(call => call.interruptible);
    for (const call of calls) call.interrupted = true;
    if (calls.length > 1) this.#watcher.seen.add('tools interrupted together');
  }

  throwIfCancelled(): void {
    if (this.#isSideBySide()) this.#watcher.looks(this.#runState());
    this.#strike('after');
    if (this.#cancelled) throw new Cancelled();
  }

  /** Lets stop and cancellation happen at their moments; a second stop follows the first now and then. */
  #strike(where: Moment['where'], at = this.#calls): void {
    const { stop, cancel, seed } = this.scenario;
    const due = (moment: Moment | null): boolean => {
      if (moment?.where !== where || this.#struck.has(moment)) return false;
      if (where === 'during' ? at !== moment.call : at < moment.call) return false;
      this.#struck.add(moment);
      return true;
    };
    if (due(stop)) {
      for (let times = seed % 4 === 0 ? 2 : 1; times > 0; times -= 1) {
        this.#crowd.stops(this.#servedRun(), seed % 3 === 0 ? null : { reason: 'enough' });
      }
    }
    this.#crowd.actsAt(this.#servedRun(), at, where);
    if (due(cancel)) this.#cancelled = true;
  }

  /** Between the last look but one and the end: the platform stores a long trace there. */
  async beforeEnd(): Promise<void> {
    await null;
    this.#crowd.hurries(this.#servedRun(), new Random(this.scenario.seed, 'late', this.#calls));
  }

  afterEnd(): void {
    this.#crowd.actsAt(this.#servedRun(), Number.POSITIVE_INFINITY, 'after');
  }

  /** The first safe point of a later part is the place where the part before it ended. */
  handoverDue(state: RunState): boolean {
    this.#watcher.safePoint(state, this.#clock);
    this.#artifacts.check(state);
    this.#safePointsOfPart += 1;
    if (this.#policy === 'never' || (state.part > 1 && this.#safePointsOfPart === 1)) return false;
    return this.#policy === 'every' || new Random(this.scenario.seed, 'handover', this.#calls).chance(0.3);
  }

  async handOver(state: RunState): Promise<never> {
    await null;
    // The uninterrupted run has no such moment: only where nothing is compared with it do people come in it.
    if (this.#policy === 'tight')
      this.#crowd.hurries(this.#servedRun(), new Random(this.scenario.seed, 'over', state.part));
    this.#handedOverInWait = this.#suggested;
    this.#suggested = false;
    const runId = `run-${state.part}`;
    const carried =
      this.#policy === 'tight'
        ? fitForHandover(state, runId, this.#clock, this.#tooFewBytes(state))
        : fitForHandover(state, runId, this.#clock);
    throw new HandedOver(JSON.stringify(this.#watcher.handedOver(carried)));
  }

  /** A little less than the state has, and now and then less than any state can be cut down to. */
  #tooFewBytes(state: RunState): number {
    const share = new Random(this.scenario.seed, 'room', this.#calls).chance(0.2) ? 0.2 : 0.9;
    return Math.floor(JSON.stringify({ ...state, threads: folded(state.threads) }).length * share);
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
