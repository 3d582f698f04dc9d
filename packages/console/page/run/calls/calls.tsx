/** Shows what each model call was sent and what came back: system text, tools, messages, what was cached, and its price. */
import { useSignal } from '@preact/signals';
import { ToolContent } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import { formatCount } from 'steersman/base';
import type { Message, ModelRequest, ThreadTranscript } from 'steersman/client';
import { AskFault, get, runPath } from '../../ask.js';
import { Earlier } from '../../parts/earlier.js';
import { cachedShare, costWords, shortCount } from '../../parts/figures.js';
import { Fold } from '../../parts/fold.js';
import { Fault, faultWords } from '../../parts/sending.js';
import { resultText } from '../../parts/text/result-text.js';
import { Ago, durationWords } from '../../parts/time.js';
import type { RunModel } from '../../run-model.js';
import { streamState } from '../../state.js';
import { named, t } from '../../words/words.js';
import { type ModelCall, messagesBefore, modelCallsIn } from './model-calls.js';

export function Calls({ run }: { run: RunModel }) {
  void run.version.value;
  const calls = modelCallsIn(run.events);
  if (calls.length === 0) return <p class="empty">{t('noCalls')}</p>;
  return (
    <section class="panel" aria-label={t('modelCalls')}>
      <Earlier run={run} />
      {calls.map(call => (
        <Fold key={call.callId} class="artifact" summary={<CallLine call={call} />}>
          {() => <CallDetails run={run} call={call} />}
        </Fold>
      ))}
    </section>
  );
}

function CallLine({
  call: { turn, role, model, at, usage, durationMs, failure, messageId },
}: {
  call: ModelCall;
}) {
  return (
    <>
      <strong>
        {turn} {role}
      </strong>{' '}
      <span class="muted">
        {model} · <Ago at={at} />
        {durationMs !== null && ` · ${durationWords(durationMs)}`}
        {usage && ` · ${figuresOf(usage)}`}
      </span>
      {messageId === null && failure !== null && <span class="chip bad">{t('wentWrong')}</span>}
      {messageId === null && failure === null && <span class="chip live">{t('running')}</span>}
    </>
  );
}

function figuresOf(usage: NonNullable<ModelCall['usage']>): string {
  return t('callFigures', {
    in: shortCount(usage.inputTokens),
    cached: cachedShare(usage),
    out: shortCount(usage.outputTokens),
    cost: costWords(usage.costUsd),
  });
}

/** The request as it was sent; if it is no longer known, the original messages before the reply. */
type Sent =
  | { kind: 'request'; request: ModelRequest }
  | { kind: 'messages'; messages: Message[] }
  | { kind: 'unknown' };

function CallDetails({ run, call }: { run: RunModel; call: ModelCall }) {
  const sent = useSignal<Sent | null>(null);
  const fault = useSignal<string | null>(null);
  const reply = useSignal<Message | null>(null);
  const { callId, messageId, failure, usage } = call;
  useEffect(() => {
    if (sent.peek() === null)
      sentIn(run.id, call).then(
        found => {
          sent.value = found;
          fault.value = null;
        },
        error => (fault.value = faultWords(error)),
      );
    if (messageId !== null && reply.peek() === null)
      get<Message[]>(runPath(run.id, `messages?id=${encodeURIComponent(messageId)}`)).then(
        ([found]) => (reply.value = found ?? null),
        () => undefined,
      );
    // Runs again when the console is reachable again.
  }, [callId, messageId, streamState.value === 'live']);
  return (
    <div class="call">
      {sent.value === null && fault.value === null && <p class="muted">{t('loading')}</p>}
      {sent.value !== null && <SentView sent={sent.value} />}
      <Fault of={fault.value} />
      {usage && (
        <p class="muted">
          {t('callUsage', {
            in: formatCount(usage.inputTokens),
            cached: formatCount(usage.cachedInputTokens),
            written: formatCount(usage.cacheWriteInputTokens ?? 0),
            out: formatCount(usage.outputTokens),
            cost: costWords(usage.costUsd),
          })}
        </p>
      )}
      <h2>{t('reply')}</h2>
      {failure !== null && <p class="bad-text">{failure}</p>}
      {reply.value !== null ? (
        <MessageText message={reply.value} />
      ) : (
        messageId === null && <p class="muted">{t('noReply')}</p>
      )}
    </div>
  );
}

/** Throws if the console is away, so that this is not taken for an unknown request. */
async function sentIn(runId: string, { callId, messageId }: ModelCall): Promise<Sent> {
  try {
    return {
      kind: 'request',
      request: await get<ModelRequest>(runPath(runId, `request?call=${encodeURIComponent(callId)}`)),
    };
  } catch (error) {
    // A run stores the requests of its last calls only, and a worker must answer.
    if (isAway(error)) throw error;
  }
  const threads = await get<ThreadTranscript[]>(runPath(runId, 'transcript')).catch(error => {
    if (isAway(error)) throw error;
    return [];
  });
  const messages = messageId === null ? null : messagesBefore(threads, messageId);
  return messages === null ? { kind: 'unknown' } : { kind: 'messages', messages };
}

function isAway(error: unknown): boolean {
  return error instanceof AskFault && error.code === 'away';
}

function SentView({ sent }: { sent: Sent }) {
  if (sent.kind === 'unknown') return <p class="muted">{t('requestUnknown')}</p>;
  if (sent.kind === 'messages')
    return (
      <>
        <p class="muted">{t('requestRebuilt')}</p>
        <Messages messages={sent.messages} />
      </>
    );
  const { head, messages } = sent.request;
  return (
    <>
      <Fold class="data" summary={t('systemText', { count: formatCount(head.system.length) })}>
        {() => <ToolContent text={head.system} />}
      </Fold>
      <Fold class="data" summary={t('offeredTools', { count: head.tools.length })}>
        {() => (
          <>
            <p class="muted">{t(head.toolChoice === 'none' ? 'toolsClosed' : 'toolsOpen')}</p>
            {head.tools.map(({ name, description, inputSchema }) => (
              <Fold key={name} class="data" summary={name}>
                {() => <ToolContent text={`${description}\n\n${JSON.stringify(inputSchema, null, 2)}`} />}
              </Fold>
            ))}
          </>
        )}
      </Fold>
      <Messages messages={messages} />
    </>
  );
}

function Messages({ messages }: { messages: readonly Message[] }) {
  return (
    <Fold class="data" summary={t('sentMessages', { count: messages.length })}>
      {() => (
        <ol class="sent-messages">
          {messages.map(message => (
            <li key={message.id}>
              <Fold class="data" summary={headOf(message)}>
                {() => <MessageText message={message} />}
              </Fold>
            </li>
          ))}
        </ol>
      )}
    </Fold>
  );
}

function headOf(message: Message): string {
  const { length } = textIn(message);
  const who =
    message.kind === 'user'
      ? named('purpose', message.purpose)
      : message.kind === 'assistant'
        ? message.role
        : named('kind', message.kind);
  return `${message.id} · ${who} · ${t('chars', { count: formatCount(length) })}`;
}

function MessageText({ message }: { message: Message }) {
  return <ToolContent text={textIn(message)} />;
}

function textIn(message: Message): string {
  switch (message.kind) {
    case 'user':
    case 'cut':
      return message.content.map(({ text }) => text).join('\n');
    case 'tool_result':
      return message.content
        .map(block => `${block.toolName} (${block.ending})\n${resultText(block)}`)
        .join('\n\n');
    case 'assistant':
      return message.content
        .map(block => {
          if (block.type === 'tool_use')
            return `${block.name} ${block.raw ?? JSON.stringify(block.input, null, 2)}`;
          return block.type === 'reasoning' ? `(${t('reasoning')})\n${block.text}` : block.text;
        })
        .join('\n\n');
  }
}
