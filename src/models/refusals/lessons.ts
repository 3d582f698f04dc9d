/**
 * Remembers what endpoints have refused. A refused request is changed where the refusal says, and sent again in the
 * same attempt. Later requests start with the change. A run stores lessons too, for workers that have not learnt them.
 */
import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../base/json/json.js';
import { toolCallsOf } from '../../run/messages/message.js';
import { type Lesson, lessonId, readLesson, tellLesson } from '../provider/lesson.js';
import type { ModelRequest } from '../provider/provider.js';
import { wireToolName } from '../request/message-text.js';
import { simplerSchema } from '../request/tool-schema.js';
import {
  changedTool,
  messageHash,
  messagesIn,
  pictureHash,
  picturesIn,
  saysStrict,
  toolName,
  toolsIn,
  withMessages,
  withoutPictures,
  withoutStrict,
  withTools,
} from './body.js';
import { filledMessage, isEmptyMessage, otherMessage } from './messages.js';
import { inOrder } from './order.js';
import type { Refusal } from './places.js';
import { nextStep } from './read-refusal.js';
import { type Body, optionAbout, type RefusableOption, valueAt, withOptions } from './refused-options.js';
import { tokensAsked, withTokensAtMost } from './reply-tokens.js';

/** Bounded because callers choose the model names, including names that do not exist. */
const MODELS_KEPT = 200;
/** Lessons per model; the oldest is forgotten first. */
const LESSONS_KEPT = 40;
/** Changes per call; a refusal after the last change is the failure of the call. */
const MOST_CHANGES = 5;
/** OpenAI's and Azure's own limit: https://platform.openai.com/docs/api-reference/chat/create */
const MOST_TOOLS = { hosts: /(^|\.)(openai\.com|azure\.com)$/, about: 'tools at most 128' };
const SIMPLE_DESCRIPTION_CHARS = 1_024;

export interface TaughtCall {
  /** The body with all known lessons applied. */
  readonly body: Body;
  /**
   * Returns true if the refusal names something that can be changed, so that the request should be sent again. `said`
   * holds its words, safe to show.
   */
  learn(refusal: Refusal, said: string): boolean;
  /** Called when the endpoint has accepted the request. Returns the lessons of this call that its run does not know. */
  taken(): Lesson[];
}

/** The lessons of one endpoint, by model. They live as long as the worker process. */
export class Lessons {
  readonly #name: string;
  readonly #options: readonly RefusableOption[];
  readonly #known = new LRUCache<string, Map<string, Lesson>>({ max: MODELS_KEPT });
  readonly #atOnce: ReadonlyMap<string, number>;

  constructor(options: readonly RefusableOption[], { endpoint, host }: { endpoint: string; host: string }) {
    this.#name = endpoint;
    this.#options = options;
    const known = options.filter(option => option.hosts?.test(host)).map(optionAbout);
    this.#atOnce = new Map(
      [...known, ...(MOST_TOOLS.hosts.test(host) ? [MOST_TOOLS.about] : [])].map(about => [about, 1]),
    );
  }

  /** `toBody` returns the preferred body, before any lesson. */
  call(request: ModelRequest, toBody: (request: ModelRequest) => Body): TaughtCall {
    const known = this.#known.get(request.model) ?? new Map<string, Lesson>();
    this.#known.set(request.model, known);
    return new Call({
      request,
      toBody,
      known,
      atOnce: this.#atOnce,
      options: this.#options,
      modelId: `${this.#name}/${request.model}`,
    });
  }
}

interface LessonInput {
  request: ModelRequest;
  toBody: (request: ModelRequest) => Body;
  known: Map<string, Lesson>;
  atOnce: ReadonlyMap<string, number>;
  options: readonly RefusableOption[];
  modelId: string;
}

/** `isVain` is true if the lesson changed nothing, or if the same refusal followed it. */
type OwnLesson = Lesson & { isVain: boolean };

class Call implements TaughtCall {
  readonly #given: LessonInput;
  /** Lessons learnt in this call, in order. */
  readonly #own: OwnLesson[] = [];
  /** How many changed requests were sent again. */
  #changes = 0;
  #refusedFor = '';

  constructor(given: LessonInput) {
    this.#given = given;
    for (const step of (given.request.lessons ?? []).flatMap(id => readLesson(id) ?? [])) {
      if (step.level > (given.known.get(step.about)?.level ?? 0))
        remember(given.known, { ...step, told: tellLesson(given.modelId, step) });
    }
  }

  get body(): Body {
    return this.#changed(this.#wanted);
  }

  get #wanted(): Body {
    const { request, toBody } = this.#given;
    return toBody(inOrder(request, this.#levelOf('order')));
  }

  #levelOf(about: string): number {
    const { known, atOnce } = this.#given;
    const own = this.#own.findLast(lesson => lesson.about === about)?.level ?? 0;
    return Math.max(own, known.get(about)?.level ?? 0, atOnce.get(about) ?? 0);
  }

  learn(refusal: Refusal, said: string): boolean {
    const words = `${refusal.message} ${refusal.param}`;
    const isSame = words === this.#refusedFor;
    this.#refusedFor = words;
    if (this.#changes >= MOST_CHANGES) return false;
    const before = canonicalJson(this.body);
    for (;;) {
      const change = this.#change(refusal, { said, isSame });
      if (!change) return false;
      change.isVain = canonicalJson(this.body) === before;
      if (change.isVain) continue;
      this.#changes += 1;
      return true;
    }
  }

  /** `isSame` is true if the endpoint sent the very same words before the last change. */
  #change(refusal: Refusal, { said, isSame }: { said: string; isSame: boolean }): OwnLesson | null {
    const { options, modelId } = this.#given;
    const wanted = this.#wanted;
    const originals = messagesIn(this.#beforeMessages(wanted));
    const sent = this.#changed(wanted);
    const step = nextStep({
      refusal,
      wanted,
      sent,
      originals,
      options,
      levelOf: about => this.#levelOf(about),
    });
    if (!step) return null;
    const last = this.#own.at(-1);
    if (last && last.about !== step.about) {
      // The endpoint now objects to something else, so the previous change has helped, unless the words are still the
      // same.
      if (isSame) for (const own of this.#own) own.isVain ||= own.about === last.about;
      else this.#keepLast();
    }
    const lesson: OwnLesson = { ...step, told: tellLesson(modelId, step, said), isVain: false };
    this.#own.push(lesson);
    return lesson;
  }

  taken(): Lesson[] {
    this.#keepLast();
    const { known, request } = this.#given;
    const inRun = new Set(request.lessons ?? []);
    const wanted = this.#wanted;
    const own = this.#own.filter(({ isVain }) => !isVain);
    const last = new Map(own.map(({ isVain: _vain, ...lesson }) => [lesson.about, lesson]));
    const held = [...known.values()].filter(({ about }) => !last.has(about) && concerns(about, wanted));
    return [...last.values(), ...held].filter(lesson => !inRun.has(lessonId(lesson)));
  }

  #keepLast(): void {
    const last = this.#own.at(-1);
    if (last && !last.once && !last.isVain) remember(this.#given.known, last);
  }

  #changed(wanted: Body): Body {
    return this.#streamed(this.#withMessages(this.#beforeMessages(wanted)));
  }

  #beforeMessages(wanted: Body): Body {
    const { options, request, modelId } = this.#given;
    const body = withOptions(wanted, options, option => this.#levelOf(optionAbout(option)), [
      request,
      modelId,
    ]);
    return this.#withPictures(this.#withTools(withTokensAtMost(body, this.#least('reply at most'))));
  }

  #withTools(body: Body): Body {
    const given = toolsIn(body);
    if (given.length === 0) return body;
    const all = this.#levelOf('tools');
    const isPlain = this.#levelOf('strict tools') > 0;
    const offered = given.flatMap(tool => {
      const level = Math.max(all, this.#levelOf(`tool ${toolName(tool)}`));
      if (level === 0) return [tool];
      return level === 1 ? [changedTool(tool, simplerSchema, SIMPLE_DESCRIPTION_CHARS)] : [];
    });
    const tools = isPlain ? offered.map(withoutStrict) : offered;
    return withTools(body, fewest(tools, this.#least('tools at most'), this.#given.request));
  }

  /** Returns the smallest number among the lessons of this kind. */
  #least(kind: string): number {
    const { known, atOnce } = this.#given;
    const abouts = [...known.keys(), ...atOnce.keys(), ...this.#own.map(({ about }) => about)];
    return Math.min(
      ...abouts.map(about => Number(about.startsWith(`${kind} `) ? about.slice(kind.length) : 'Infinity')),
    );
  }

  #withMessages(body: Body): Body {
    const given = messagesIn(body);
    const messages = given.map(message => {
      if (this.#levelOf('empty messages') > 0 && isEmptyMessage(message)) return filledMessage(message);
      const level = this.#namesMessages ? this.#levelOf(`message ${messageHash(message)}`) : 0;
      return level === 0 ? message : otherMessage(message, level);
    });
    return messages.every((message, at) => message === given[at]) ? body : withMessages(body, messages);
  }

  /** Hashing messages is expensive, and most calls have no lesson about one. */
  get #namesMessages(): boolean {
    const isOne = (about: string) => about.startsWith('message ');
    return this.#own.some(({ about }) => isOne(about)) || [...this.#given.known.keys()].some(isOne);
  }

  #withPictures(body: Body): Body {
    const isNone = this.#levelOf('pictures') > 0;
    const abouts = [...this.#given.known.keys(), ...this.#own.map(({ about }) => about)];
    if (!isNone && !abouts.some(about => about.startsWith('picture '))) return body;
    const isRefused = (picture: Record<string, unknown>) =>
      isNone || this.#levelOf(`picture ${pictureHash(picture)}`) > 0;
    return withMessages(body, withoutPictures(messagesIn(body), isRefused));
  }

  #streamed(body: Body): Body {
    if (this.#levelOf('streaming') === 0) return body;
    const { stream_options: _options, ...rest } = body;
    return { ...rest, stream: body.stream !== true };
  }
}

function remember(known: Map<string, Lesson>, { about, level, told }: Lesson): void {
  const [oldest] = known.keys();
  if (known.size >= LESSONS_KEPT && !known.has(about) && oldest !== undefined) known.delete(oldest);
  known.set(about, { about, level, told });
}

/** True if the lesson would change this request. */
function concerns(about: string, wanted: Body): boolean {
  const [kind = '', ...rest] = about.split(' ');
  const name = rest.join(' ');
  if (kind === 'option') return valueAt(wanted, name) !== undefined;
  if (kind === 'tool') return toolsIn(wanted).some(tool => toolName(tool) === name);
  if (kind === 'tools') return toolsIn(wanted).length > Number(/\d+$/.exec(name)?.[0] ?? 0);
  if (kind === 'strict') return toolsIn(wanted).some(saysStrict);
  if (kind === 'reply') return (tokensAsked(wanted) ?? 0) > Number(/\d+$/.exec(name)?.[0] ?? 0);
  if (kind === 'pictures') return picturesIn(messagesIn(wanted)).length > 0;
  if (kind === 'empty') return messagesIn(wanted).some(isEmptyMessage);
  return kind !== 'picture' && kind !== 'message';
}

/** Keeps the tools that the conversation has called, then the first ones. */
function fewest(
  tools: readonly Record<string, unknown>[],
  most: number,
  { messages }: ModelRequest,
): readonly Record<string, unknown>[] {
  if (tools.length <= most) return tools;
  const called = new Set(
    messages
      .flatMap(message => (message.kind === 'assistant' ? toolCallsOf(message) : []))
      .map(({ name }) => wireToolName(name)),
  );
  const first = tools.filter(tool => called.has(toolName(tool)));
  const others = tools.filter(tool => !called.has(toolName(tool)));
  const kept = new Set([...first, ...others].slice(0, most));
  return tools.filter(tool => kept.has(tool));
}
