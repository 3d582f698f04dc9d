/** Draws an entry of a conversation. */

import { useSignal } from '@preact/signals';
import { lazily, Markdown, ToolContent } from '@steersman/components';
import type { AgentItem, AnswerItem, GateItem, GoalItem, Item, ReplyItem, ToolItem } from '@steersman/view';
import { useEffect } from 'preact/hooks';
import { argumentsLine, visibleText } from 'steersman/base';
import type { Message } from 'steersman/client';
import type { AppResult } from 'steersman/run';
import { about, readAbout } from '../about.js';
import { get, runAt, runPath } from '../ask.js';
import { closedTitle, closedWords } from '../gates/answers.js';
import { ReplyContent } from '../parts/content.js';
import { StateChip, shortCount, tokensOf } from '../parts/figures.js';
import { Fold } from '../parts/fold.js';
import { Link, runHref } from '../parts/link.js';
import { Fault, useSending } from '../parts/sending.js';
import { Ago, durationWords } from '../parts/time.js';
import { followed } from '../state.js';
import { language, named, said, t } from '../words/words.js';
import { eventId } from './event-place.js';
import { MessageEntry } from './messages.js';

const ToolBody = lazily(() => import('./tool-body.js').then(({ ToolBody }) => ToolBody));
const ToolParts = lazily(() => import('../components/tool-parts.js').then(({ ToolParts }) => ToolParts));

interface ThreadTranscript {
  messages: Message[];
}

export function Entry({ item, runId }: { item: Item; runId: string }) {
  // Reads the language, so that a change of language draws the entry again.
  void language.value;
  const id = eventId(item);
  return (
    <div id={id} class={item.path === '' ? 'event' : 'event of-agent'} data-entry tabIndex={-1}>
      {item.path !== '' && <span class="agent-name">{item.path}</span>}
      {innerOf(item, runId)}
      <a class="anchor" href={`#${id}`} aria-label={t('eventAddress')}>
        #
      </a>
    </div>
  );
}

function innerOf(item: Item, runId: string) {
  switch (item.kind) {
    case 'goal':
      return <Goal item={item} runId={runId} />;
    case 'phase':
      return (
        <h2 class="phase">
          {named('phase', item.phase)}
          {item.cycle > 1 && ` · ${t('cycle', { number: item.cycle })}`}
        </h2>
      );
    case 'told':
      return (
        <article class="entry">
          <header>
            <strong>{item.role}</strong> <Ago at={item.at} />
          </header>
          <Markdown text={said(item.text, 'role')} />
        </article>
      );
    case 'said':
      return <Reply item={item} />;
    case 'tool':
      return <ToolEntry item={item} runId={runId} />;
    case 'message':
      return <MessageEntry item={item} runId={runId} />;
    case 'gate':
      return <GateEntry item={item} />;
    case 'agent':
      return <AgentEntry item={item} runId={runId} />;
    case 'answer':
      return <Answer item={item} runId={runId} />;
    case 'note':
      return (
        <div class={`note ${item.level}`}>
          <strong>{named('note', item.about)}</strong> {said(item.text)} {item.named && named(...item.named)}
          {item.said && <ToolContent text={item.about === 'warning' ? said(item.said) : item.said} />}
        </div>
      );
  }
}

/** Events have only the beginning of a long goal: the conversation has all of it. */
function Goal({ item: { text, at, path }, runId }: { item: GoalItem; runId: string }) {
  const whole = useSignal<string | null>(null);
  const sending = useSending();
  const read = async () => {
    const [main] = await get<ThreadTranscript[]>(runPath(runAt(runId, path), 'transcript?thread=main'));
    const begins = text.slice(0, -1).trim();
    const goals = main?.messages.flatMap(message =>
      message.kind === 'user' && message.purpose === 'goal' ? message.content.map(each => each.text) : [],
    );
    whole.value = goals?.find(each => each.replace(/\s+/g, ' ').includes(begins)) ?? text;
  };
  return (
    <article class="entry person goal">
      <header>
        <strong>{t('goal')}</strong> <Ago at={at} />
        {text.endsWith('…') && whole.value === null && (
          <button
            type="button"
            class="quiet small"
            disabled={sending.busy}
            onClick={() => void sending.send(read)}
          >
            {t('showWhole')}
          </button>
        )}
      </header>
      <Markdown text={whole.value ?? text} />
      <Fault of={sending.fault} />
    </article>
  );
}

function Reply({ item }: { item: ReplyItem }) {
  const { role, model, text, reasoning, form, usage, durationMs, stopReason, at } = item;
  const cut = stopReason !== 'end_turn' && stopReason !== 'tool_use';
  return (
    <article class="entry">
      <header>
        <strong>{role}</strong> <span class="muted">{model}</span> <Ago at={at} />
        <span class="muted">
          {durationMs !== null && durationWords(durationMs)}
          {usage && ` · ${t('tokens', { count: shortCount(tokensOf(usage)) })}`}
        </span>
        {cut && <span class="chip warn">{named('ending', stopReason)}</span>}
      </header>
      {reasoning.trim() !== '' && (
        <Fold class="reasoning" summary={t('reasoning')}>
          {() => <ToolContent text={reasoning} />}
        </Fold>
      )}
      {text.trim() !== '' && <ReplyContent text={text} form={form} />}
    </article>
  );
}

const AppView = lazily(() => import('../apps/app-view.js').then(({ default: view }) => view));

/** Draws a tool call and, below it, its content or its app. */
function ToolEntry({ item, runId }: { item: ToolItem; runId: string }) {
  const { path, messageId, parts, app } = item;
  return (
    <>
      <Tool item={item} runId={runId} />
      {parts !== null && <ToolParts run={runAt(runId, path)} messageId={messageId} tool={parts} />}
      {app?.page !== undefined && <ToolApp item={{ ...item, app }} runId={runId} />}
    </>
  );
}

function isLastApp({ callId, path }: ToolItem, runId: string): boolean {
  const last = followed(runId)?.fold.items.findLast(
    item => item.kind === 'tool' && item.app?.page !== undefined,
  );
  return last?.kind === 'tool' && last.callId === callId && last.path === path;
}

/** Shows the tool's app, if apps are enabled. The newest app of a run is open until a person closes it. */
function ToolApp({ item, runId }: { item: ToolItem & { app: AppResult }; runId: string }) {
  const isOpen = useSignal(isLastApp(item, runId));
  useEffect(readAbout, []);
  if (!about.value?.sandbox) return null;
  return (
    <>
      {isOpen.value ? (
        <AppView item={item} runId={runId} onClose={() => (isOpen.value = false)} />
      ) : (
        <button type="button" class="small" onClick={() => (isOpen.value = true)}>
          {t('appOpen', { server: item.app.server })}
        </button>
      )}
    </>
  );
}

function Tool({ item, runId }: { item: ToolItem; runId: string }) {
  const { tool, ending, isError, durationMs, edited } = item;
  const look = ending === null ? 'running' : isError ? 'bad' : '';
  return (
    <Fold
      class={`tool ${look}`}
      summary={
        <>
          <span class="tool-name">{tool}</span>
          <span class="tool-line muted">{visibleText(argumentsLine(item.arguments))}</span>
          {edited && <span class="chip">{t('edited')}</span>}
          <span class="tool-end muted">
            {endWords(item)}
            {durationMs !== null && durationMs > 0 && ` ${durationWords(durationMs)}`}
          </span>
        </>
      }
    >
      {() => <ToolBody item={item} runId={runId} />}
    </Fold>
  );
}

/** Returns the call's state. A failed call is named as such, not only coloured. */
function endWords({ ending, isError }: ToolItem): string {
  if (ending === null) return t('running');
  return ending === 'executed' ? (isError ? t('wentWrong') : '') : named('ending', ending);
}

function GateEntry({ item: { gateKind, title, body, closed } }: { item: GateItem }) {
  return (
    <Fold
      class={closed === null ? 'note warn' : 'note'}
      summary={
        <>
          <strong>{named('gate', gateKind)}</strong>{' '}
          {visibleText(closed ? closedTitle(gateKind, said(title)) : said(title))}
          <span class="muted"> · {closed ? closedWords(closed) : t('waits')}</span>
        </>
      }
    >
      {() => <Markdown text={said(body)} />}
    </Fold>
  );
}

function AgentEntry({ item: { id, role, outcome, path }, runId }: { item: AgentItem; runId: string }) {
  const way = path === '' ? id : `${path}/${id}`;
  return (
    <p class="note">
      <strong>{t('subagent')}</strong> <Link to={runHref(`${runId}/${way}`)}>{id}</Link> {role} ·{' '}
      {outcome === null ? t('running') : named('outcome', outcome)}
    </p>
  );
}

function Answer({ item, runId }: { item: AnswerItem; runId: string }) {
  const { outcome, cause, text, at } = item;
  return (
    <article class={`entry answer ${outcome}`}>
      <header>
        <strong>{t(text === '' ? 'noAnswer' : 'answer')}</strong> <Ago at={at} />
        <StateChip outcome={outcome} phase={null} />
        {cause !== outcome && <span class="muted">{causeWords(cause)}</span>}
        {text !== '' && (
          <button type="button" class="quiet small" onClick={() => void navigator.clipboard.writeText(text)}>
            {t('copy')}
          </button>
        )}
      </header>
      {isAbove(item, runId) ? (
        <p class="muted">{t('answerAbove')}</p>
      ) : (
        text !== '' && <ReplyContent text={said(text, 'role')} form="words" />
      )}
    </article>
  );
}

/** True if the entry above is the answer itself. A reply in a form contains the answer among other texts. */
function isAbove({ key, path, repeats }: AnswerItem, runId: string): boolean {
  if (!repeats) return false;
  const items = followed(runId)?.fold.items ?? [];
  const end = items.findLastIndex(item => item.key === key);
  const above = items.slice(0, end).findLast(item => item.kind === 'said' && item.path === path);
  return above?.kind === 'said' && above.form === 'words';
}

/** Shortens a cause such as `failed:model.unknown_model` to its last part. */
function causeWords(cause: string): string {
  const [kind, type] = cause.split(':');
  if (type === undefined) return named('cause', cause);
  return kind === 'budget' ? named('budget', type) : named('failure', type.replace(/^model\./, ''));
}
