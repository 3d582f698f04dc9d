/** Shows a person's messages to a run, each with its current receipt. */
import { signal } from '@preact/signals';
import type { MessageItem } from '@steersman/view';
import { post, runPath } from '../ask.js';
import { keepInTab } from '../parts/draft.js';
import { Fault, faultWords, useSending } from '../parts/sending.js';
import { Ago } from '../parts/time.js';
import type { RunModel } from '../run-model.js';
import { said, t } from '../words/words.js';
import { isWithdrawable, type SentNote, stateOf, unsettled, wholeText } from './sent.js';

const KEY = 'steersman-sent';
const KEPT = 50;

/** Messages that this tab sent, by run: stored so that a text is not lost before the run has received it. */
const sent = signal<Record<string, SentNote[]>>(
  JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<string, SentNote[]>,
);

function keep(run: string, note: SentNote): void {
  const others = (sent.value[run] ?? []).filter(({ id }) => id !== note.id);
  sent.value = { ...sent.value, [run]: [...others, note].slice(-KEPT) };
  keepInTab(KEY, JSON.stringify(sent.value));
}

/** Sends the message, or repeats it under the same id, which has no second effect. */
export async function sendNote(run: string, note: SentNote): Promise<void> {
  keep(run, { ...note, fault: null });
  try {
    await post(runPath(run, note.kind), bodyOf(note));
  } catch (error) {
    keep(run, { ...note, fault: faultWords(error) });
  }
}

function bodyOf({ id, text, kind, to, when, action, data = null }: SentNote): object {
  if (kind === 'component-action') return { id, action, label: text, data };
  return kind === 'steer' ? { id, text, when, ...(to !== '' && { to }) } : { id, text };
}

export function UnsettledMessages({ run }: { run: RunModel }) {
  void run.version.value;
  const notes = unsettled(sent.value[run.id] ?? [], run.fold.items);
  return (
    <>
      {notes.map(note => (
        <article key={note.id} class="entry person">
          <p class="plain">{note.text}</p>
          <footer class="receipt" role="status">
            {note.fault === null ? (
              t('sending')
            ) : (
              <>
                <span class="bad-text">{note.fault}</span>
                <button type="button" class="quiet small" onClick={() => void sendNote(run.id, note)}>
                  {t('sendAgain')}
                </button>
              </>
            )}
          </footer>
        </article>
      ))}
    </>
  );
}

export function MessageEntry({ item, runId }: { item: MessageItem; runId: string }) {
  const sending = useSending();
  const { how = '' } = item.receipts.at(-1) ?? {};
  const state = stateOf(item);
  const withdraw = () =>
    sending.send(async () => {
      const { text } = await post<{ text: string | null }>(runPath(runId, 'withdraw'), { ids: [item.id] });
      if (text === null) throw new Error(t('tooLate'));
    });
  return (
    <article class="entry person" data-message={item.id}>
      <header>
        <strong>{t('message')}</strong> <Ago at={item.at} />
      </header>
      <p class="plain">{wholeText(item, sent.value[runId] ?? [])}</p>
      <footer class={`receipt ${state}`} role="status">
        <span class="chip">{t(`receipt_${state}`)}</span> {said(how)}
        {isWithdrawable(item) && (
          <button type="button" class="quiet small" disabled={sending.busy} onClick={() => void withdraw()}>
            {t('withdraw')}
          </button>
        )}
      </footer>
      <Fault of={sending.fault} />
    </article>
  );
}
