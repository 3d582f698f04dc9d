/** Carries out the effects of a person's keys. */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { definedOptions, printRun, readLimits } from '@steersman/print';
import type { RunProgress } from '@steersman/view';
import { errorText } from 'steersman/base';
import { type Gate, type GateReply, type Run, SteersmanError } from 'steersman/client';
import { type Known, knownOf, wholeParts } from 'steersman/rules';
import { isOpen as isOpenTask } from 'steersman/run';
import { noColors, textSink } from 'steersman/shared';
import { editedIn } from './editor.js';
import { withMenu } from './input/complete.js';
import { editedElsewhere, yesEffects } from './input/gate-keys.js';
import { PromptFetcher } from './input/prompt-fetcher.js';
import {
  type Effect,
  type EffectOf,
  type SessionState,
  takenBack,
  withGates,
} from './input/session-state.js';
import { workspaceFiles } from './input/workspace-files.js';
import { lookLines } from './look.js';
import type { Reader } from './screen/reader.js';
import { gateLines } from './screen/scroll-lines.js';
import type { Scrollback } from './screen/scrollback.js';
import type { Terminal } from './screen/terminal.js';
import { SendQueue } from './send-queue.js';
import type { StateReader } from './state-reader.js';

/** The current state of a session, and the parts that display it. */
export interface SessionScope {
  readonly run: Run;
  /** This session started the run and keeps it open for follow-ups: leaving ends that. */
  readonly owned: boolean;
  /** `--config` of the start, if any: the folder that configures tool servers with prompts. */
  readonly config?: string | undefined;
  session: SessionState;
  readonly progress: RunProgress;
  readonly scrollback: Scrollback;
  readonly reader: Reader;
  readonly states: StateReader;
  /** Aborted when the person leaves. */
  readonly left: AbortController;
  readonly terminal: Pick<Terminal, 'refresh' | 'lend'>;
  /** The person's editor; null if there is no editor. */
  readonly editor: string | null;
}

const SEND_AGAIN_MS = 1_000;
const LEAVE_TIMEOUT_MS = 5_000;
const REASON = 'asked for in the terminal';

export class SessionActions {
  finishing = false;
  readonly #scope: SessionScope;
  readonly #queue: SendQueue;
  readonly #prompts: PromptFetcher;
  /**
   * Gates answered by this session, each with the number of the last state query that may still list it. If a later
   * query lists it, its agent could not take the answer, and the gate needs another.
   */
  readonly #answered = new Map<string, number>();

  constructor(scope: SessionScope) {
    this.#scope = scope;
    this.#prompts = new PromptFetcher(scope, this);
    this.#queue = new SendQueue({
      mayPass: error => error instanceof SteersmanError && error.code === 'unreachable',
      pause: () => delay(SEND_AGAIN_MS, undefined, { signal: scope.left.signal }).catch(() => undefined),
      waits: error =>
        scope.scrollback.tell([...describeError(error), 'What you said is sent when it answers again.']),
      failed: (error, texts) => this.failed(error, texts),
    });
  }

  carryOut(effect: Effect): void {
    const act = this.#acts[effect.do] as (effect: Effect) => unknown;
    const acting = async () => act(effect);
    acting().catch(error => this.failed(error));
  }

  readonly #acts: { [D in Effect['do']]: (effect: EffectOf<D>) => unknown } = {
    say: ({ lines }) => this.#scope.scrollback.tell(lines),
    detach: () => this.#scope.left.abort(),
    finish: () => this.#finish(),
    status: () => this.#status(),
    view: ({ gate }) => {
      const { scrollback } = this.#scope;
      scrollback.print(gateLines(gate, scrollback.page, wholeParts(gate, this.#knownOf(gate))));
    },
    edit: effect => this.#edit(effect),
    look: ({ at }) => {
      const { session, progress, scrollback } = this.#scope;
      scrollback.write(lookLines(at, progress.state, session, scrollback.page));
    },
    'open-last': () => {
      const [gate] = this.#scope.session.gates;
      this.#scope.reader.openLast(gate, this.#knownOf(gate));
    },
    transcript: ({ thread }) => this.#scope.reader.openTranscript(thread === '' ? undefined : thread),
    'add-task': ({ text: description }) =>
      this.#change(run => {
        const taken = this.#scope.progress.state?.tasks.map(({ id }) => id) ?? [];
        return run.editPlan([{ id: freeId(taken), description }]);
      }),
    'set-budget': ({ words }) => this.#change(async run => run.setBudget(readLimits(words))),
    'set-model': ({ model, role }) => this.#change(run => run.setModel(model, definedOptions({ role }))),
    'list-files': () => this.#listFiles(),
    'list-prompts': effect => this.#prompts.list(effect),
    prompt: effect => this.#prompts.put(effect),
    answer: effect => this.#answer(effect),
    steer: ({ text, when, to }) => {
      const how = `${to ? `, to ${to}` : ''}${when === 'interrupt' ? ' (interrupt)' : ''}`;
      this.#say(how, text, options =>
        this.#scope.run.steer(text, { ...options, when, ...definedOptions({ to }) }),
      );
    },
    'follow-up': ({ text }) =>
      this.#say(this.#scope.progress.idle ? '' : ', for later', text, options =>
        this.#scope.run.followUp(text, options),
      ),
    'take-back': () => this.#send(() => this.#takeBack()),
    hold: () => this.#send(() => this.#scope.run.pause(REASON, { interrupt: true })),
    pause: () => this.#send(() => this.#scope.run.pause(REASON)),
    resume: () => this.#send(() => this.#scope.run.resume(REASON)),
    stop: () => this.#send(() => this.#scope.run.stop(REASON)),
  };

  #knownOf(gate: Gate | undefined): Known {
    const { session, progress } = this.#scope;
    if (gate === undefined) return { input: null };
    return knownOf(gate, { inputs: session.inputs, tasks: progress.state?.tasks ?? [] });
  }

  /** Queues an action after earlier ones; `text` is the text of a message. */
  #send(send: () => Promise<unknown>, text: string | null = null): void {
    this.#queue.add({ text, send });
  }

  /** Queues a change of the run; the journal reports its outcome. */
  #change(change: (run: Run) => Promise<unknown>): void {
    this.#send(() => change(this.#scope.run).then(() => this.#scope.states.read()));
  }

  /** Sends a message under a new id, so that resending has no second effect. Its receipt arrives with the journal. */
  #say(how: string, text: string, say: (options: { id: string; waitForReceipt: false }) => Promise<unknown>) {
    const { scrollback } = this.#scope;
    const id = `m-${randomUUID().slice(0, 8)}`;
    scrollback.you(how, text);
    scrollback.ownMessages.push(id);
    this.#send(() => say({ id, waitForReceipt: false }), text);
  }

  async #status(): Promise<void> {
    const { run, scrollback } = this.#scope;
    const shown = await run.show();
    let text = '';
    const sink = textSink(part => {
      text += part;
    }, noColors);
    printRun(sink, { ...shown, answer: null }, { children: await run.children(), webUi: run.webUi });
    scrollback.write(text.trimEnd().split('\n'));
  }

  async #edit({ gate, text }: EffectOf<'edit'>): Promise<void> {
    const { terminal, editor, scrollback } = this.#scope;
    scrollback.tell([`${editor} has the terminal: what you leave unchanged stays as it is.`]);
    let edited = text;
    await terminal.lend(async () => {
      edited = await editedIn(editor ?? '', text);
    });
    const { session, effects } = editedElsewhere(this.#scope.session, gate, text, edited);
    this.#scope.session = session;
    for (const effect of effects) this.carryOut(effect);
    terminal.refresh();
  }

  /** Lists the files again at each `@`, because the run writes files meanwhile. */
  async #listFiles(): Promise<void> {
    const workspace = this.#scope.progress.state?.workspace;
    if (workspace === undefined) return;
    const files = await workspaceFiles(workspace);
    this.#scope.session = withMenu(this.#scope.session, { ...this.#scope.session, files }).session;
    this.#scope.terminal.refresh();
  }

  #answer({ gate, input }: EffectOf<'answer'>): void {
    const { run, session, scrollback, states } = this.#scope;
    if (this.#answered.has(gate.id)) return;
    this.#answered.set(gate.id, Number.POSITIVE_INFINITY);
    this.setGates(session.gates);
    scrollback.you('', answerWords(gate, input));
    this.#send(async () => {
      try {
        // The run validates an answer that a person has edited.
        await run.answerGate(gate.id, input as GateReply);
        this.#answered.set(gate.id, states.asked);
      } catch (error) {
        this.#notTaken(gate.id);
        throw error;
      }
    });
  }

  /** A failed answer ends `/yes`, so that it is not repeated endlessly. */
  #notTaken(gateId: string): void {
    this.#answered.delete(gateId);
    this.#scope.session = { ...this.#scope.session, yes: false };
  }

  /** Puts unsent texts back into the line, in their order. */
  failed(error: unknown, texts: string[] = []): void {
    const { scrollback, states, session } = this.#scope;
    scrollback.tell(describeError(error));
    if (texts.length > 0) {
      scrollback.tell(['It was not sent, and is in your line again.']);
      this.#scope.session = takenBack(session, texts.join('\n'));
    }
    states.read();
  }

  async #takeBack(): Promise<void> {
    const { run, scrollback, terminal } = this.#scope;
    const text = await run.withdraw(scrollback.ownMessages);
    if (text !== null) this.#scope.session = takenBack(this.#scope.session, text);
    else scrollback.tell(['Nothing that you said waits: it has been read.']);
    terminal.refresh();
  }

  /** Leaves an answered run: it ends if it was kept open for this session. */
  async #finish(): Promise<void> {
    const { run, owned, progress, left } = this.#scope;
    if (!owned && progress.idle) return left.abort();
    this.finishing = true;
    await run.finish();
    if (!progress.idle) return;
    // A run without a worker does not end now, so the session does not wait for it.
    await delay(LEAVE_TIMEOUT_MS, undefined, { ref: false });
    left.abort();
  }

  /**
   * Sets the open gates, except those answered here. After `/yes` it answers them. `asked`: number of the state query
   * that listed them; 0 for no query.
   */
  setGates(gates: readonly Gate[], asked = 0): void {
    for (const { id } of gates) if (asked > (this.#answered.get(id) ?? asked)) this.#notTaken(id);
    const { progress, session } = this.#scope;
    const open = gates.filter(gate => !this.#answered.has(gate.id));
    const tasks = (progress.state?.tasks ?? []).filter(isOpenTask);
    this.#scope.session = withGates(session, open, tasks);
    for (const effect of yesEffects(this.#scope.session)) this.carryOut(effect);
  }

  /** Stops sending after a short wait for messages in flight. Returns the unsent texts. */
  async letGo(): Promise<string[]> {
    await Promise.race([this.#queue.drained(), delay(LEAVE_TIMEOUT_MS, undefined, { ref: false })]);
    return this.#queue.close();
  }

  /** The session has ended, so a run that it kept open ends when its goal is answered. */
  async endWhenAnswered(): Promise<void> {
    const { run, owned } = this.#scope;
    if (owned && !this.finishing) await run.finish().catch(() => undefined);
  }
}

function answerWords(gate: Gate, { decision, ...rest }: Record<string, unknown>): string {
  const values = [decision, ...Object.values(rest)].filter(part => part !== undefined);
  const words = values.map(part => (typeof part === 'string' ? part : JSON.stringify(part)));
  return `${gate.id} · ${words.join(' · ')}`;
}

function freeId(taken: readonly string[]): string {
  for (let number = 1; ; number += 1) if (!taken.includes(`added-${number}`)) return `added-${number}`;
}

function describeError(error: unknown): string[] {
  if (!(error instanceof SteersmanError)) return [errorText(error)];
  return [error.message, error.remedy].filter(line => line !== '');
}
