/** The page of a conversation with the messages of all its runs. A person can continue it at its end, or from any message. */

import { useSignal } from '@preact/signals';
import { ToolContent } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import type { Message, StoredRun } from 'steersman/client';
import { get, post } from '../ask.js';
import { StartForm } from '../home/start-form.js';
import { ReplyContent } from '../parts/content.js';
import { StateChip, UsageFigures } from '../parts/figures.js';
import { Fold } from '../parts/fold.js';
import { Link, runHref } from '../parts/link.js';
import { Fault, faultWords, useSending } from '../parts/sending.js';
import { resultText } from '../parts/text/result-text.js';
import { Ago } from '../parts/time.js';
import { go } from '../state.js';
import { named, t } from '../words/words.js';
import { sessionHref } from './session-href.js';

export function SessionPage({ id }: { id: string }) {
  const runs = useSignal<StoredRun[] | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    get<StoredRun[]>(`sessions/${encodeURIComponent(id)}`).then(
      found => (runs.value = found),
      error => (fault.value = faultWords(error)),
    );
  }, [id]);
  const own = runs.value?.filter(({ run }) => run.parent === undefined) ?? [];
  return (
    <>
      <header class="page-head">
        <h1>{own[0]?.run.goal ?? id}</h1>
        {own[0] && <span class="muted">{id}</span>}
      </header>
      <Fault of={fault.value} />
      {runs.value === null && fault.value === null && <p class="muted">{t('loading')}</p>}
      {own.map(({ run, transcript }) => (
        <section key={run.chain} class="chat" aria-label={run.goal}>
          <h2 class="run-line">
            <Link to={runHref(run.workflowId)}>{run.workflowId}</Link>
            <StateChip outcome={run.outcome} phase={run.ended ? 'ended' : null} />
            <UsageFigures usage={run.usage} />
          </h2>
          {transcript
            .slice(0, 1)
            .flatMap(({ messages }) =>
              messages.map(message => (
                <MessageView key={message.id} session={id} run={run.workflowId} message={message} />
              )),
            )}
        </section>
      ))}
      {own.length > 0 && <StartForm session={id} workspace={own.at(-1)?.run.workspace ?? null} />}
    </>
  );
}

interface MessageProps {
  session: string;
  run: string;
  message: Message;
}

/** Purposes of messages that are shown in full. Prompts of roles and other texts of the run itself are folded. */
const SPOKEN = new Set(['goal', 'steer', 'answer', 'summary']);

function MessageView({ session, run, message }: MessageProps) {
  if (message.kind === 'user' || message.kind === 'cut') {
    const text = message.content.map(block => block.text).join('\n');
    if (message.kind === 'cut') return <p class="note">{text}</p>;
    if (!SPOKEN.has(message.purpose))
      return (
        <Fold
          class="note"
          summary={`${named('purpose', message.purpose)}${message.role ? ` · ${message.role}` : ''}`}
        >
          {() => <ToolContent text={text} />}
        </Fold>
      );
    return (
      <article class="entry person">
        <Head who={t('you')} {...{ session, run, message }} />
        <ReplyContent text={text} form="words" />
      </article>
    );
  }
  if (message.kind === 'tool_result')
    return message.content.map(block => (
      <Fold
        key={block.toolUseId}
        class="tool"
        summary={`${block.toolName} · ${named('ending', block.ending)}`}
      >
        {() => <ToolContent text={resultText(block)} />}
      </Fold>
    ));
  return (
    <article class="entry">
      <Head who={message.role} {...{ session, run, message }} />
      {message.content.map((block, at) => (
        <BlockView key={`${at} ${block.type}`} block={block} />
      ))}
    </article>
  );
}

type Block = Extract<Message, { kind: 'assistant' }>['content'][number];

function BlockView({ block }: { block: Block }) {
  if (block.type === 'text') return <ReplyContent text={block.text} form="words" />;
  if (block.type === 'reasoning')
    return block.text === '' ? null : (
      <Fold class="reasoning" summary={t('reasoning')}>
        {() => <ToolContent text={block.text} />}
      </Fold>
    );
  return (
    <Fold class="tool" summary={block.name}>
      {() => <ToolContent text={block.raw ?? JSON.stringify(block.input)} />}
    </Fold>
  );
}

function Head({ who, session, run, message }: MessageProps & { who: string }) {
  const sending = useSending();
  const branch = () =>
    sending.send(async () => {
      const at = `${run}/${message.id}`;
      const { id } = await post<{ id: string }>(`sessions/${encodeURIComponent(session)}/branch`, { at });
      go(sessionHref(id));
    });
  return (
    <header>
      <strong>{who}</strong> <Ago at={message.at} />
      <button type="button" class="quiet small" disabled={sending.busy} onClick={() => void branch()}>
        {t('branchHere')}
      </button>
      <Fault of={sending.fault} />
    </header>
  );
}
