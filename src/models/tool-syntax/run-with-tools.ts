/** Calls a model in the syntax in which it can call tools: said by its role or endpoint, known of it, or learnt; else native. */
import type { ToolSyntax } from '../../run/agents/role.js';
import { FAILURE } from '../../run/limits/failure.js';
import { type Lesson, lessonId, tellLesson } from '../provider/lesson.js';
import { ModelCallError } from '../provider/model-call-error.js';
import type { ModelProvider } from '../provider/provider.js';
import { BAD_SCHEMA, NO_TOOLS } from '../refusals/words.js';
import { saidOf } from '../sdk/classify.js';
import { runStream, type StreamRun } from '../sdk/run-stream.js';
import { asText } from './as-text.js';
import type { ToolCallCodec } from './codec.js';
import { CODECS } from './codecs.js';

/** What is taken where an endpoint turns out to know no tools. */
const WITHOUT_TOOLS: ToolSyntax = 'xml';

/** Models that were found to take no tools, by provider. Lives as long as the worker process. */
const withoutTools = new WeakMap<ModelProvider, Map<string, Lesson>>();

export interface ToolRun {
  ended: Awaited<ReturnType<typeof runStream>>;
  /** What the reply's calls are written in; null for native ones. */
  codec: ToolCallCodec | null;
}

/** The tags of calls are no words for a watcher. */
function shownBy(codec: ToolCallCodec, { onText, request }: StreamRun): StreamRun['onText'] {
  const prose = request.tools.length > 0 ? codec.proseReader?.() : undefined;
  if (!prose) return onText;
  return channel => onText(channel.channel === 'text' ? { ...channel, text: prose(channel.text) } : channel);
}

/** The lesson of an endpoint that takes no tools, as runs keep it. */
const IN_TEXT = { about: 'tools in text', level: 1 } as const;

/** As `runStream`. `canCallTools`: what is known of the model; null for nothing. */
export async function runWithTools(run: StreamRun, canCallTools: boolean | null = null): Promise<ToolRun> {
  const { provider, request } = run;
  const models = withoutTools.get(provider) ?? new Map<string, Lesson>();
  withoutTools.set(provider, models);
  const modelId = `${provider.name}/${request.model}`;
  if (request.lessons?.includes(lessonId(IN_TEXT)) && !models.has(request.model))
    models.set(request.model, { ...IN_TEXT, told: tellLesson(modelId, IN_TEXT) });
  const lesson = models.get(request.model);
  const known = canCallTools === false || lesson ? WITHOUT_TOOLS : 'native';
  const said = request.toolSyntax ?? provider.toolSyntax;
  const codec = CODECS[said ?? known];
  if (codec) {
    const asked = asText(request, codec);
    const ended = await runStream({ ...run, request: asked, onText: shownBy(codec, run) });
    if (lesson && said === undefined) run.draft.add({ type: 'lesson', lesson });
    return { ended, codec };
  }
  try {
    return { ended: await runStream(run), codec: null };
  } catch (error) {
    const isLesson = error instanceof ModelCallError && ofTools(error);
    if (!isLesson || request.tools.length === 0 || said === 'native') throw error;
    models.set(request.model, { ...IN_TEXT, told: tellLesson(modelId, IN_TEXT, error.message) });
    return runWithTools(run);
  }
}

/** No tools are taken, or no schema of theirs. */
function ofTools(error: ModelCallError): boolean {
  const said = saidOf(error);
  if (NO_TOOLS.words.test(said)) return true;
  return error.type === FAILURE.model.badRequest && BAD_SCHEMA.words.test(said);
}
