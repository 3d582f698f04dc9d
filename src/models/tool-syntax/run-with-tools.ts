/** Calls a model in the syntax in which it can call tools: said by its role or endpoint, known of it, or learnt; else native. */
import type { ToolSyntax } from '../../core/agents/role.js';
import { ModelCallError } from '../model-call-error.js';
import type { ModelProvider } from '../provider.js';
import { runStream, type StreamRun } from '../run-stream.js';
import { asText } from './as-text.js';
import type { ToolCallCodec } from './codec.js';
import { CODECS } from './codecs.js';

/**
 * Ollama of a model without tools in its template, llama.cpp started without `--jinja`, vLLM without a parser of calls:
 * github.com/ollama/ollama/issues/11131, github.com/containers/ramalama/issues/988, github.com/vllm-project/vllm/issues/9986
 */
const NO_TOOLS = /does not support tools|tools param requires --jinja|requires --enable-auto-tool-choice/i;
/** What is taken where an endpoint turns out to know no tools. */
const WITHOUT_TOOLS: ToolSyntax = 'xml';

/** Models that were found to take no tools, by provider. Lives as long as the worker process. */
const withoutTools = new WeakMap<ModelProvider, Set<string>>();

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

/** As `runStream`. `canCallTools`: what is known of the model; null for nothing. */
export async function runWithTools(run: StreamRun, canCallTools: boolean | null = null): Promise<ToolRun> {
  const { provider, request } = run;
  const lacksTools = canCallTools === false || withoutTools.get(provider)?.has(request.model) === true;
  const known = lacksTools ? WITHOUT_TOOLS : 'native';
  const said = request.toolSyntax ?? provider.toolSyntax;
  const codec = CODECS[said ?? known];
  if (codec) {
    const asked = asText(request, codec);
    return { ended: await runStream({ ...run, request: asked, onText: shownBy(codec, run) }), codec };
  }
  try {
    return { ended: await runStream(run), codec: null };
  } catch (error) {
    const isLesson = error instanceof ModelCallError && NO_TOOLS.test(error.message);
    if (!isLesson || request.tools.length === 0 || said === 'native') throw error;
    const models = withoutTools.get(provider) ?? new Set();
    withoutTools.set(provider, models.add(request.model));
    return runWithTools(run);
  }
}
