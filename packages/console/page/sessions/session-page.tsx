/** The page of a conversation with the messages of all its runs. A person can continue it at its end, or from any message. */

import { useSignal } from '@preact/signals';
import { ToolContent } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import { decoded, visibleText } from 'steersman/base';
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
import { go, hash } from '../state.js';
import { named, t } from '../words/words.js';
import { messageId, sessionHref } from './session-href.js';

export function SessionPage({ id }: { id: string }) {
  const runs = useSignal<StoredRun[] | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    get<StoredRun[]>(`sessions/${encodeURIComponent(id)}`).then(
      found => (runs.value = found),
      error => (fault.value = faultWords(error)),
    );
  }, [id]);
  const wanted = decoded(hash.value);
  useEffect(() => {
    const element = document.getElementById(wanted);
    element?.scrollIntoView({ block: 'center' });
    element?.focus({ preventScroll: true });
  }, [runs.value, wanted]);
  const own = runs.value?.filter(({ run }) => run.parent === undefined) ?? [];
  // A sub-agent's messages are shown if the address names one of them.
  const shown = runs.value?.filter(
    each => own.includes(each) || wanted.startsWith(messageId(each.run.workflowId, '')),
  );
  return (
    <>
      <header class="page-head">
        <h1>{visibleText(own[0]?.run.goal ?? id)}</h1>
        {own[0] && <span class="muted">{id}</span>}
      </header>
      <Fault of={fault.value} />
      {runs.value === null && fault.value === null && <p class="muted">{t('loading')}</p>}
      {shown?.map(each => (
        <RunView key={each.run.chain} session={id} stored={each} named={wanted} />
      ))}
      {own.length > 0 && <StartForm session={id} workspace={own.at(-1)?.run.workspace ?? null} />}
    </>
  );
}

interface RunProps {
  session: string;
  stored: StoredRun;
  /** The id of the message that the address names. */
  named: string;
}

/** Shows the main thread of a run, or the thread with the named message. */
function RunView({ session, stored: { run, transcript }, named: wanted }: RunProps) {
  const { goal, workflowId, outcome, ended, usage } = run;
  const isNamed = ({ id }: Message) => messageId(workflowId, id) === wanted;
  const [main] = transcript;
  const thread = transcript.find(({ messages }) => messages.some(isNamed)) ?? main;
  return (
    <section class="chat" aria-label={visibleText(goal)}>
      <h2 class="run-line">
        <Link to={runHref(workflowId)}>{workflowId}</Link>
        <StateChip outcome={outcome} phase={ended ? 'ended' : 'running'} />
        <UsageFigures usage={usage} />
      </h2>
      {thread !== main && <p class="caption">{thread?.thread}</p>}
      {thread?.messages.map(message => (
        <div
          key={message.id}
          id={messageId(workflowId, message.id)}
          class={isNamed(message) ? 'event named' : 'event'}
          tabIndex={-1}
        >
          <MessageView session={session} run={workflowId} message={message} isOpen={isNamed(message)} />
        </div>
      ))}
    </section>
  );
}

interface MessageProps {
  session: string;
  run: string;
  message: Message;
}

/** Purposes of messages that are shown in full. Prompts of roles and other texts of the run itself are folded. */
const SPOKEN = new Set(['goal', 'steer', 'answer', 'summary']);

/** `isOpen`: true if a part that is folded is open. */
function MessageView({ session, run, message, isOpen }: MessageProps & { isOpen: boolean }) {
  if (message.kind === 'user' || message.kind === 'cut') {
    const text = message.content.map(block => block.text).join('\n');
    if (message.kind === 'cut') return <p class="note">{text}</p>;
    if (!SPOKEN.has(message.purpose))
      return (
        <Fold
          class="note"
          open={isOpen}
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
        open={isOpen}
        summary={`${block.toolName} · ${named('ending', block.ending)}`}
      >
        {() => <ToolContent text={resultText(block)} />}
      </Fold>
    ));
  return (
    <article class="entry">
      <Head who={message.role} {...{ session, run, message }} />
      {message.content.map((block, at) => (
        <BlockView key={`${at} ${block.type}`} block={block} isOpen={isOpen} />
      ))}
    </article>
  );
}

type Block = Extract<Message, { kind: 'assistant' }>['content'][number];

function BlockView({ block, isOpen }: { block: Block; isOpen: boolean }) {
  if (block.type === 'text') return <ReplyContent text={block.text} form="words" />;
  if (block.type === 'reasoning')
    return block.text === '' ? null : (
      <Fold class="reasoning" open={isOpen} summary={t('reasoning')}>
        {() => <ToolContent text={block.text} />}
      </Fold>
    );
  return (
    <Fold class="tool" open={isOpen} summary={block.name}>
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
