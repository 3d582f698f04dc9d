/** A run, as programs hold it. In the workflow it is `workflows/run/run.ts`. */

import type { UpdateDefinition } from '@temporalio/common';
import type { Gate } from '../../run/gates/gate.js';
import type { Limits } from '../../run/limits/limits.js';
import type { Artifact } from '../../run/outputs/artifact.js';
import type { PlannedTask } from '../../run/plan/plan.js';
import type { RunRecord } from '../../run/state/kept.js';
import type { TraceReport } from '../../run/state/trace.js';
import type { SteerTime } from '../../run/steering/inbox.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { RunResult, RunView } from '../../workflows/run/definitions.js';
import {
  type ComponentActionInput,
  callToolUpdate,
  componentActionSignal,
  editPlanUpdate,
  finishSignal,
  followUpSignal,
  pauseSignal,
  resumeSignal,
  setBudgetUpdate,
  setModelUpdate,
  stateQuery,
  steerSignal,
  stopSignal,
  submitToolResultUpdate,
} from '../../workflows/run/definitions.js';
import { type Abortable, abortable, leavable } from '../connection/abortable.js';
import { askRun } from '../connection/ask-run.js';
import type { ClientScope } from '../connection/client-scope.js';
import { type Temporal, webUiLink } from '../connection/connect.js';
import type { ThreadTranscript } from '../kept/kept-runs.js';
import type { ChildTree } from '../record/child-tree.js';
import { gateInput, type ToolInput } from '../record/gate-input.js';
import type { RunEnd } from '../record/run-end.js';
import { readHistory, readStored } from '../record/run-files.js';
import { RunReader, resultIn } from '../record/run-reader.js';
import type { RunSnapshot } from '../record/run-snapshot.js';
import { fromWorker, mayBeServed } from '../record/runs.js';
import { wordsOf } from '../vocabularies/stream-events.js';
import type { RunEvent } from '../watch/run-event.js';
import { type WaitOptions, waitForEnd } from '../watch/wait-for-end.js';
import { type WatchOptions, watchRun } from '../watch/watch-run.js';
import type { ClientTool } from './client-tools.js';
import { answerTools, type GateHandler, type GateHandlers, handlerOf, onGate } from './on-gate.js';
import {
  answerAndKeep,
  type GateReply,
  type Handle,
  sendToOpen,
  type ToolOutput,
  type ToolResultInput,
  update,
} from './send.js';
import { type SentMessage, sendMessage, takeBack } from './sent-message.js';

export interface MessageOptions extends Abortable {
  /** A repeat under the same id does nothing. Default: a new one. */
  id?: string;
  /** `false`: resolves when the server has the message, without waiting for the run's word on it. Default true. */
  waitForReceipt?: boolean;
}

export interface SteerOptions extends MessageOptions {
  /**
   * When it takes effect. Default `skip`: the tool call in progress ends, the rest of its batch is skipped.
   * `after-batch`: all tool calls that were asked for run first. `interrupt`: the call in progress is cut off,
   * where that is safe.
   */
  when?: SteerTime;
  /**
   * A role that reads messages: `planner`, `executor` or `verifier`, in modes of one role that role, in a mode of your own
   * one of its steps. Or a sub-agent that runs, such as `search/1`. Default: the role at work.
   */
  to?: string;
}

export interface PauseOptions extends Abortable {
  /** Cuts off the call in flight, where that is safe, instead of letting it end. Default false. */
  interrupt?: boolean;
}

export interface Asked {
  /** A worker serves the run now; where false, it is done when one does. */
  served: boolean;
}

/**
 * A run. Its methods throw a `SteersmanError`: `ended` where it takes nothing more, `unserved` where a worker is
 * needed and none answers, `rejected` where the run does not take what was sent, `unreachable` where Temporal does
 * not answer, `aborted` where the given signal ended the wait.
 */
export class Run {
  readonly id: string;
  /** It was open when it was to be started, as a run of its conversation: the goal waits in it as its next one. */
  readonly joined: boolean;
  /** Temporal's run id of the execution that was started or found. A long run continues as new, under another id. */
  readonly runId: string;
  /** Task queue that its worker serves. */
  readonly taskQueue: string;
  /** Its page in the Web UI, where the address of that is known: the local stack and Temporal Cloud. */
  readonly webUi: string | null;
  /** Folder in which its tools work; null if its start did not tell the server. */
  readonly workspace: string | null;
  readonly #scope: ClientScope;
  readonly #reader: RunReader;
  readonly #handlers: (GateHandler | GateHandlers)[] = [];
  /** Aborted by a gate that could not be answered, with why. */
  readonly #failed = new AbortController();

  /** Programs get runs from `start` and `attach`. */
  constructor(
    scope: ClientScope,
    {
      id,
      runId,
      taskQueue,
      workspace,
      joined = false,
      forgotten = null,
    }: Pick<Run, 'id' | 'runId' | 'taskQueue' | 'workspace'> & {
      joined?: boolean;
      forgotten?: RunRecord | null;
    },
    tools: readonly ClientTool[] = [],
  ) {
    this.#scope = scope;
    this.#reader = new RunReader(scope.temporal, id, scope.kept?.sessions ?? null, forgotten);
    this.id = id;
    this.joined = joined;
    this.runId = runId;
    this.taskQueue = taskQueue;
    this.workspace = workspace;
    this.webUi = webUiLink(scope.temporal, id);
    if (forgotten === null) answerTools(scope, this.#reader, tools);
  }

  /**
   * What happens in the run, from its first event (or after `since`) to its end, through restarts of everything.
   * An aborted signal ends the iteration, and nothing else; so does `return` of the generator.
   */
  events(options: WatchOptions = {}): AsyncGenerator<RunEvent> {
    return this.#leavable(options, signal =>
      this.#withGateNotices(watchRun(this.#reader, { ...options, signal })),
    );
  }

  /**
   * The words of the answer as they come, and nothing else: no plans and verdicts, no other role, no sub-agent. An
   * answer that stands in a verdict comes at once, when its goal ends. Ends with the run, as `events` does.
   */
  textStream(options: Omit<WatchOptions, 'live' | 'children'> = {}): AsyncGenerator<string> {
    return this.#leavable(options, signal =>
      wordsOf(watchRun(this.#reader, { ...options, signal, children: false })),
    );
  }

  /** Says something to the running goal. Resolves with the run's first word on what will happen to it. */
  steer(text: string, { when = 'skip', to, ...options }: SteerOptions = {}): Promise<SentMessage> {
    const input = { text, when, ...(to === undefined ? {} : { to }) };
    return sendMessage(this.#scope, this.id, { as: steerSignal, input }, options);
  }

  /** Queues the next goal: it begins when the one at hand is answered. */
  followUp(text: string, options: MessageOptions = {}): Promise<SentMessage> {
    return sendMessage(this.#scope, this.id, { as: followUpSignal, input: { text } }, options);
  }

  /**
   * Tells it what a person chose of a component that they were shown. Label and data (at most 16 KB) are read as data;
   * it answers no gate.
   */
  componentAction(
    { action, label, data }: Omit<ComponentActionInput, 'id'>,
    options: MessageOptions = {},
  ): Promise<SentMessage> {
    return sendMessage(
      this.#scope,
      this.id,
      { as: componentActionSignal, input: { action, label, data } },
      options,
    );
  }

  /**
   * Takes back the last of these messages that neither the run nor a sub-agent has read. Gives its text, or null if
   * there is none.
   */
  withdraw(messageIds: readonly string[], options: Abortable = {}): Promise<string | null> {
    return this.#work(options, temporal => takeBack(temporal, this.id, messageIds));
  }

  /** Holds the run before its next model or tool call. */
  pause(reason = '', { interrupt = false, ...options }: PauseOptions = {}): Promise<Asked> {
    return this.#ask(options, run => run.signal(pauseSignal, { reason, ...(interrupt && { interrupt }) }));
  }

  /** Lets a paused run go on, and its sub-agents, whoever paused them. */
  resume(reason = '', options: Abortable = {}): Promise<Asked> {
    return this.#ask(options, run => run.signal(resumeSignal, { reason }));
  }

  /** Ends a run that is kept open, when its goal is answered and nothing waits. */
  finish(options: Abortable = {}): Promise<Asked> {
    return this.#ask(options, run => run.signal(finishSignal));
  }

  /** Ends the run with what there is, without another model call. */
  stop(reason = '', options: Abortable = {}): Promise<Asked> {
    return this.#ask(options, run => run.signal(stopSignal, { reason }));
  }

  /** Cancels the run: Temporal's own way. `stop` is the gentler one. */
  cancel(options: Abortable = {}): Promise<Asked> {
    return this.#ask(options, run => run.cancel());
  }

  /** Answers an open gate, such as `g1`, also with the result of a tool of the client. */
  async answerGate(gateId: string, answer: GateReply | ToolOutput, options: Abortable = {}): Promise<void> {
    await this.#work(options, temporal => answerAndKeep(temporal, this.id, gateId, answer));
  }

  /** Gives the result of a tool that the client runs, by its gate or its call. */
  async submitToolResult(result: ToolResultInput, options: Abortable = {}): Promise<void> {
    await this.#update(options, submitToolResultUpdate, { ...result });
  }

  /**
   * Asks for a call of a tool for the app of another call, `of`, as pages that show apps do. Resolves with its id: the
   * event `app_call_ended` says what came of it, and has the whole answer by reference (`app.answer`).
   */
  async callTool(
    call: { of: string; tool: string; arguments?: Record<string, unknown> },
    options: Abortable = {},
  ): Promise<string> {
    return (await this.#update(options, callToolUpdate, { ...call })).callId;
  }

  /**
   * Adds tasks, or changes those that have not begun: fields that are left out stay as they are, null takes one away.
   * `remove`: ids of tasks that have not begun and are not to be done. Resolves with the number of tasks of the plan.
   */
  async editPlan(
    tasks: readonly (Partial<PlannedTask> & { id: string })[],
    { remove = [], ...options }: Abortable & { remove?: readonly string[] } = {},
  ): Promise<number> {
    const edit = { tasks: [...tasks], ...(remove.length > 0 && { remove: [...remove] }) };
    return (await this.#update(options, editPlanUpdate, edit)).tasks;
  }

  /** Changes limits, such as `{ tokens: 2_000_000 }`: they count from the next step on, also in sub-agents at work. */
  async setBudget(limits: Partial<Limits>, options: Abortable = {}): Promise<void> {
    await this.#update(options, setBudgetUpdate, limits);
  }

  /**
   * Changes the model of a role, or of all, also in sub-agents, from their next calls on. It is then used alone, without
   * chains and rows of `models.resolver`. The configuration must have named it at the run's start. Resolves with the roles.
   */
  async setModel(model: string, { role, ...options }: Abortable & { role?: string } = {}): Promise<string[]> {
    const input = { model, ...(role === undefined ? {} : { role }) };
    return (await this.#update(options, setModelUpdate, input)).roles;
  }

  /**
   * Hands each gate to `handlers` once, as long as this client is open. They are a function, or an object of functions by
   * kind (`approval`, `plan`, `question`, …, `default`). What one returns is the answer; if it returns nothing, the gate
   * stays open for somebody else. If one throws, or the run refuses its answer, `result`, `end`, `events` and
   * `textStream` of this run throw that, as a SteersmanError. A gate that none of them takes stays open, and a `notice`
   * of `events` says so. Returns a function that ends this.
   */
  onGate(handlers: GateHandler | GateHandlers): () => void {
    this.#handlers.push(handlers);
    const end = onGate(this.#scope, this.#reader, handlers, error => this.#failed.abort(error));
    return () => {
      this.#handlers.splice(this.#handlers.indexOf(handlers), 1);
      end();
    };
  }

  /** Adds a notice for each gate that no handler takes. */
  async *#withGateNotices(events: AsyncGenerator<RunEvent>): AsyncGenerator<RunEvent> {
    for await (const event of events) {
      yield event;
      if (event.type !== 'gate_opened' || this.#handlers.length === 0) continue;
      if (this.#handlers.some(handlers => handlerOf(handlers, event.kind) !== null)) continue;
      const text = `No handler of onGate takes the gate ${event.gateId} (${event.kind}): it stays open.`;
      yield { type: 'notice', text };
    }
  }

  /** The run's state, as its worker tells it: `unserved` where none does. */
  state(options: Abortable = {}): Promise<RunView> {
    const { id } = this;
    return this.#work(options, temporal =>
      fromWorker(temporal, id, { knows: 'its state', ask: () => askRun(temporal, { id }, stateQuery) }),
    );
  }

  /** All arguments of the tool call that a gate is about; null for another gate, and where no worker tells them. */
  inputOf(gate: Gate): Promise<ToolInput | null> {
    return gateInput(this.#scope.temporal, this.id, gate);
  }

  /** The run's state from worker, result and server together; works for ended runs and without a worker. */
  show(options: Abortable = {}): Promise<RunSnapshot> {
    return this.#work(options, () => this.#reader.snapshot());
  }

  /** Its sub-agents, with what each used and with their own: each is the run `{id}/{child.id}`. */
  children(options: Abortable = {}): Promise<ChildTree[]> {
    return this.#work(options, () => this.#reader.children());
  }

  /** The conversation, the main thread first; or the thread of this name: whole where this machine has the store, else as far as its worker has it. */
  transcript({ thread, ...options }: Abortable & { thread?: string } = {}): Promise<ThreadTranscript[]> {
    return this.#work(options, () => this.#reader.transcript(thread));
  }

  /** What it did, step by step. Of an ended run without a worker: its last steps. */
  trace(options: Abortable = {}): Promise<TraceReport> {
    return this.#work(options, () => this.#reader.trace());
  }

  /**
   * The result, whatever the outcome, however long that takes. Throws a SteersmanError `no_result` where Temporal
   * ended the run without one.
   */
  async result(options: WaitOptions = {}): Promise<RunResult> {
    return resultIn(await this.end(options));
  }

  /** How it ended, also without a result: terminated, or timed out. Waits for it. */
  end(options: WaitOptions = {}): Promise<RunEnd> {
    return abortable(this.#scope, { signal: this.#orFailed(options) }, signal =>
      waitForEnd(this.#reader, { ...options, signal }, this.#scope.report),
    );
  }

  /** The Temporal history of its latest segment, as JSON that replay tests take. */
  history(options: Abortable = {}): Promise<{ runId: string; json: string }> {
    return this.#work(options, temporal => readHistory(temporal, this.id));
  }

  /** A text that it keeps by reference (`blob:…`), whole. Only on a machine that has the blobs of the worker. */
  stored(ref: string): Promise<string> {
    return readStored(this.#scope.kept, this.id, ref);
  }

  /** The texts that it wrote beside its conversation, in the order it made them. */
  async artifacts(options: Abortable = {}): Promise<Artifact[]> {
    return (await this.show(options)).artifacts;
  }

  /**
   * An artifact with its content. Only on a machine that has the blobs of the worker. Throws a SteersmanError
   * `not_found` where the run has none of this id.
   */
  async artifact(id: string, options: Abortable = {}): Promise<Artifact & { text: string }> {
    const all = await this.artifacts(options);
    const found = all.find(each => each.id === id);
    if (found) return { ...found, text: await this.stored(found.ref) };
    const known = all.map(each => each.id).join(', ') || 'none';
    throw new SteersmanError(`The run ${this.id} has no artifact ${id}. It has: ${known}.`, '', 'not_found');
  }

  #ask(options: Abortable, ask: (run: Handle) => Promise<unknown>): Promise<Asked> {
    return this.#work(options, async temporal => {
      const { taskQueue } = await sendToOpen(temporal, this.id, ask);
      return { served: await mayBeServed(temporal, taskQueue) };
    });
  }

  #update<Result, Input>(
    options: Abortable,
    wanted: UpdateDefinition<Result, [Input]>,
    input: Input,
  ): Promise<Result> {
    return this.#work(options, temporal => update(temporal, this.id, wanted, input));
  }

  #leavable<T>(options: Abortable, start: (signal: AbortSignal) => AsyncGenerator<T>): AsyncGenerator<T> {
    return leavable(this.#scope, this.#orFailed(options), start);
  }

  /** Ends a wait where a gate could not be answered as the program meant to: the run may wait for ever. */
  #orFailed({ signal }: Abortable): AbortSignal {
    return AbortSignal.any([this.#failed.signal, ...(signal ? [signal] : [])]);
  }

  #work<T>(options: Abortable, work: (temporal: Temporal) => Promise<T>): Promise<T> {
    return abortable(this.#scope, options, signal => work({ ...this.#scope.temporal, signal }));
  }
}
