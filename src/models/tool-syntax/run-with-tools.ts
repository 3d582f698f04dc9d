/**
 * Calls a model in the tool syntax that its role or endpoint configures, or that was learnt about the model; default:
 * native.
 */
import type { ToolSyntax } from '../../run/agents/role.js';
import { FAILURE } from '../../run/limits/failure.js';
import { type Lesson, lessonId, tellLesson } from '../provider/lesson.js';
import { ModelCallError } from '../provider/model-call-error.js';
import type { ModelProvider } from '../provider/provider.js';
import { BAD_SCHEMA, NO_TOOLS } from '../refusals/words.js';
import { endpointText } from '../sdk/classify.js';
import { runStream, type StreamRun } from '../sdk/run-stream.js';
import { asText } from './as-text.js';
import type { ToolCallCodec } from './codec.js';
import { CODECS } from './codecs.js';

/** The syntax for an endpoint that turns out not to support tools. */
const WITHOUT_TOOLS: ToolSyntax = 'xml';

/** Models that were found not to support tools, by provider. The map lives as long as the worker process. */
const withoutTools = new WeakMap<ModelProvider, Map<string, Lesson>>();

export interface ToolRun {
  ended: Awaited<ReturnType<typeof runStream>>;
  /** The syntax in which the reply writes calls; null for native calls. */
  codec: ToolCallCodec | null;
}

/** Hides the tags of calls from watchers. */
function shownBy(codec: ToolCallCodec, { onText, request }: StreamRun): StreamRun['onText'] {
  const prose = request.tools.length > 0 ? codec.proseReader?.() : undefined;
  if (!prose) return onText;
  return channel => onText(channel.channel === 'text' ? { ...channel, text: prose(channel.text) } : channel);
}

/** The lesson that an endpoint does not support tools, as runs store it. */
const IN_TEXT = { about: 'tools in text', level: 1 } as const;

/** Like `runStream`. `canCallTools` is what is known of the model; null if unknown. */
export async function runWithTools(run: StreamRun, canCallTools: boolean | null = null): Promise<ToolRun> {
  const { provider, request } = run;
  const models = withoutTools.get(provider) ?? new Map<string, Lesson>();
  withoutTools.set(provider, models);
  const modelId = `${provider.name}/${request.model}`;
  if (request.lessons?.includes(lessonId(IN_TEXT)) && !models.has(request.model))
    models.set(request.model, { ...IN_TEXT, told: tellLesson(modelId, IN_TEXT) });
  const lesson = models.get(request.model);
  const known = canCallTools === false || lesson ? WITHOUT_TOOLS : 'native';
  const syntax = request.toolSyntax ?? provider.toolSyntax;
  const codec = CODECS[syntax ?? known];
  if (codec) {
    const asked = asText(request, codec);
    const ended = await runStream({ ...run, request: asked, onText: shownBy(codec, run) });
    if (lesson && syntax === undefined) run.draft.add({ type: 'lesson', lesson });
    return { ended, codec };
  }
  try {
    return { ended: await runStream(run), codec: null };
  } catch (error) {
    const isLesson = error instanceof ModelCallError && ofTools(error);
    if (!isLesson || request.tools.length === 0 || syntax === 'native') throw error;
    models.set(request.model, { ...IN_TEXT, told: tellLesson(modelId, IN_TEXT, error.message) });
    return runWithTools(run);
  }
}

/** True if the endpoint refuses tools altogether, or their schemas. */
function ofTools(error: ModelCallError): boolean {
  const text = endpointText(error);
  if (NO_TOOLS.words.test(text)) return true;
  return error.type === FAILURE.model.badRequest && BAD_SCHEMA.words.test(text);
}
