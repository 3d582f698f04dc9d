/** What the scripted model of a chaos replies: work by role, spoilt now and then, until the work is to end. */

import { execution, plan, verdict } from '../../../packages/test-kit/role-outputs.js';
import { Random } from '../../simulation/random.js';
import type { FaultName } from '../endpoint/faults/names.js';
import type { ChatRequest, ScriptedReply, ScriptedToolCall } from '../endpoint/model.js';
import { calls, content, planned, reported, roleOf } from '../steering.js';
import { CHAOS_KINDS, type ChaosKind } from './kinds.js';
import { ToolWork, type ToolWorkOptions } from './tool-work.js';

/** What becomes of a reply that goes wrong, by the name of the fault or as another text. */
const MISHAPS: readonly (FaultName | 'no JSON')[] = [
  'http.rate-limited-ms',
  'http.rate-limited',
  'http.server-error',
  'http.overloaded',
  'stream.cut-in-text',
  'stream.not-json',
  'no JSON',
];
const OF_CALLS: readonly FaultName[] = ['stream.cut-in-call', 'call.arguments-broken'];

export interface WorkOptions extends ToolWorkOptions {
  /** Share of the replies that go wrong, from 0 to 1. */
  badReplies: number;
}

export class Work {
  /** Replies so far: how it goes on. */
  replies = 0;
  /** Of them those that went wrong. */
  bad = 0;
  #finished = false;
  readonly #random: Random;
  readonly #tools: ToolWork;
  readonly #mishaps: Random;
  readonly #badReplies: number;

  constructor(options: WorkOptions) {
    const { seed, badReplies } = options;
    this.#random = new Random(seed, 'model');
    this.#tools = new ToolWork(options);
    // Of its own, so that what is asked for stays the same.
    this.#mishaps = new Random(seed, 'mishaps');
    this.#badReplies = badReplies;
  }

  /** From here on every goal is answered at once. */
  finish(): void {
    this.#finished = true;
  }

  reply(request: ChatRequest): ScriptedReply {
    this.replies += 1;
    return this.#spoil(this.#replyTo(request));
  }

  #spoil(reply: ScriptedReply): ScriptedReply {
    if (!this.#mishaps.chance(this.#badReplies)) return reply;
    this.bad += 1;
    const fault = this.#mishaps.pick(reply.toolCalls ? [...MISHAPS, ...OF_CALLS] : MISHAPS);
    return fault === 'no JSON'
      ? { text: 'As I see it: {"type": "component", "summary": ' }
      : { ...reply, fault };
  }

  #replyTo(request: ChatRequest): ScriptedReply {
    switch (roleOf(request)) {
      case 'planner':
        return this.#plan(request);
      case 'verifier':
        return this.#verdict(request);
      case 'executor':
        return this.#carriesOut(request);
      default:
        return this.#worksAlone(request);
    }
  }

  /** Of one task, or of several, some of which need others. */
  #plan(request: ChatRequest): ScriptedReply {
    if (kindOf(request) === 'team') return planned;
    const ids = Array.from({ length: this.#random.int(2, 5) }, () => `task-${this.#tools.next()}`);
    const todos = ids.map((id, index) => ({
      id,
      description: `Do ${id}.`,
      priority: this.#random.int(1, 3),
      dependencies: this.#random.some(ids.slice(0, index), 0.2),
    }));
    return { text: plan({ todos }) };
  }

  #verdict(request: ChatRequest): ScriptedReply {
    const isContent = this.#finished || kindOf(request) === 'team' || this.#random.chance(0.6);
    return isContent ? content : { text: verdict({ improvements: ['Do more.'] }) };
  }

  #carriesOut(request: ChatRequest): ScriptedReply {
    const isTeam = kindOf(request) === 'team';
    if (this.#finished || !mayCall(request)) return reported();
    if (!this.#random.chance(isTeam ? 0.12 : 0.3))
      return this.#calls(isTeam ? this.#tools.simple() : this.#pieces(0.2));
    const givesUp = !isTeam && this.#random.chance(0.2);
    return givesUp
      ? { text: execution({ summary: 'It cannot be done.', shouldContinue: false }) }
      : reported();
  }

  /** A role whose first reply without calls is its answer. */
  #worksAlone(request: ChatRequest): ScriptedReply {
    const hasAgents = request.toolNames.includes('call_subagent');
    if (this.#finished || !mayCall(request) || this.#random.chance(hasAgents ? 0.2 : 0.4))
      return { text: 'This is what came of it, with a real result.' };
    return this.#calls(this.#pieces(hasAgents ? 0.6 : 0));
  }

  #pieces(forAgents: number): ScriptedToolCall[] {
    return this.#random.chance(forAgents) ? this.#tools.agents() : this.#tools.mixed();
  }

  #calls(batch: ScriptedToolCall[]): ScriptedReply {
    const text = 'I look at what there is, and go on from there step by step. ';
    return { ...calls(...batch), text, chunkChars: 6, delayMs: this.#random.pick([0, 0, 10, 40]) };
  }
}

/** Of its run, as the goal names it. */
function kindOf({ body }: ChatRequest): ChaosKind {
  const named = /Weather the chaos of a (\w+) run/.exec(JSON.stringify(body.messages))?.[1];
  return CHAOS_KINDS.find(kind => kind === named) ?? 'team';
}

function mayCall({ body, toolNames }: ChatRequest): boolean {
  return toolNames.length > 0 && body.tool_choice !== 'none';
}
