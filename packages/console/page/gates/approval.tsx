/** A waiting tool call: its change, and the buttons to approve it, always approve it, deny it, or approve it with changes. */
import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { escapeUnseen, visibleText } from 'steersman/base';
import type { Gate } from 'steersman/client';
import { draft } from '../parts/draft.js';
import { Fold } from '../parts/fold.js';
import { t } from '../words/words.js';
import { draftKey } from './answers.js';
import { AnswersBox } from './answers-box.js';
import { isEdited, withTexts } from './call/argument-fields.js';
import { alwaysOf, callsOf, earlierTexts, mendedFrom, type ShownCall } from './call/call-shown.js';
import { CallView } from './call/call-view.js';
import type { FormProps } from './form-props.js';
import { ReasonField } from './forms.js';
import { GateBody } from './gate-body.js';

const CallEditor = lazily(() => import('./call/call-editor.js').then(({ CallEditor }) => CallEditor));

/** Edited arguments can be approved only once, so these choices are then hidden. */
const ALWAYS = [
  ['run', 'alwaysRun'],
  ['workspace', 'alwaysWorkspace'],
] as const;

export function ApprovalForm(props: FormProps<'approval'>) {
  const { gate, key_, input, sending, answer, status } = props;
  const texts = draft(draftKey(key_, 'arguments'));
  const reason = draft(draftKey(key_, 'reason'));
  const isEditing = useSignal(texts.peek() !== '');
  const always = alwaysOf(gate.subject);
  const calls = callsOf(gate, input);
  const left = draft(draftKey(key_, 'except'));
  const except = JSON.parse(left.value || '{}') as Record<string, string>;
  const exceptOf = (at: number): Except => ({
    reason: except[at + 1] ?? null,
    set(reason) {
      const { [at + 1]: _gone, ...others } = except;
      left.value = JSON.stringify(reason === null ? others : { ...others, [at + 1]: reason });
    },
  });
  const approve = () => {
    if (Object.values(except).some(each => each.trim() === '')) return sending.say(t('faultLeaveOut'));
    const isLess = Object.keys(except).length > 0;
    if (isLess) return answer({ decision: 'approve', except });
    const changed = JSON.parse(texts.value || '{}') as Record<string, string>;
    if (!isEditing.value || input === null || !isEdited(input, changed))
      return answer({ decision: 'approve' });
    const edited = withTexts(input, changed);
    if ('fault' in edited) return sending.say(t('faultField', { field: edited.fault }));
    answer({ decision: 'approve', arguments: edited.input });
  };
  /** Discarding the edit also clears its draft, so that a reload does not restore it. */
  const edit = () => {
    texts.value = '';
    isEditing.value = !isEditing.value;
  };
  const { busy } = sending;
  return (
    <>
      <GateBody>
        <Grounds gate={gate} />
        {isEditing.value && input !== null ? (
          <CallEditor input={input} texts={texts} />
        ) : (
          calls.map((call, at) => (
            <Call
              key={at}
              call={call}
              number={calls.length > 1 ? at + 1 : null}
              except={calls.length > 1 ? exceptOf(at) : null}
            />
          ))
        )}
        <Mended gate={gate} />
      </GateBody>
      <AnswersBox>
        <div class="actions">
          <button type="button" class="main" disabled={busy} onClick={approve}>
            {t(isEditing.value ? 'approveEdited' : left.value.length > 2 ? 'approveRest' : 'approve')}
          </button>
          {input !== null && (
            <button type="button" onClick={edit}>
              {isEditing.value ? t('asItWas') : t('editArguments')}
            </button>
          )}
          <span class="deny">
            <ReasonField reason={reason} />
            <button
              type="button"
              class="bad"
              disabled={busy}
              onClick={() => answer({ decision: 'deny', reason: reason.value })}
            >
              {t('deny')}
            </button>
          </span>
        </div>
        {always !== null && !isEditing.value && (
          <div class="actions always">
            {ALWAYS.map(([alwaysFor, word]) => (
              <button
                key={alwaysFor}
                type="button"
                class="small"
                disabled={busy}
                onClick={() => answer({ decision: 'always', alwaysFor })}
              >
                {t(word)}
              </button>
            ))}
            <span class="muted">{visibleText(t(always.word, always.values))}</span>
          </div>
        )}
        {status}
      </AnswersBox>
    </>
  );
}

const COMPARED = {
  changed: null,
  new: 'comparedNew',
  same: 'comparedSame',
  unread: 'comparedUnread',
} as const;

/** The model's words about the reply's calls, and the texts of a gate of an earlier version. */
function Grounds({ gate }: { gate: Extract<Gate, { kind: 'approval' }> }) {
  const { why } = gate.subject;
  return (
    <>
      {earlierTexts(gate).map(text => (
        <p key={text}>{text}</p>
      ))}
      {why !== undefined && (
        <p class="why">
          <span class="muted">{t('why')}</span> {visibleText(why)}
        </p>
      )}
    </>
  );
}

/** Leaves a call out of an approval, with a reason that the model reads. */
interface Except {
  /** Null: the call is approved with the others. */
  reason: string | null;
  set(reason: string | null): void;
}

interface CallProps {
  call: ShownCall;
  /** Null for the only call, whose act is the title. */
  number: number | null;
  except: Except | null;
}

function Call({ call: { act, change, concerns, compared }, number, except }: CallProps) {
  const word = compared && COMPARED[compared];
  // In a list the act is no question.
  const title = visibleText(t(act.word, act.values)).replace(/[?？]$/, '');
  return (
    <>
      {number !== null && except !== null && (
        <div class="one-of">
          <label>
            <input
              type="checkbox"
              checked={except.reason === null}
              onChange={event => except.set(event.currentTarget.checked ? null : '')}
            />{' '}
            {number}. {title}
          </label>
          {except.reason !== null && (
            <input
              class="reason"
              aria-label={t('leaveOut', { change: `${number}. ${title}` })}
              placeholder={t('leaveOutHint')}
              value={except.reason}
              onInput={event => except.set(event.currentTarget.value)}
            />
          )}
        </div>
      )}
      {concerns.map(concern => (
        <p key={concern} class="concern">
          {visibleText(concern)}
        </p>
      ))}
      {word && <p class="muted">{t(word)}</p>}
      <CallView change={change} />
    </>
  );
}

function Mended({ gate }: { gate: Extract<Gate, { kind: 'approval' }> }) {
  const raw = mendedFrom(gate);
  if (raw === null) return null;
  return (
    <Fold class="data" summary={t('mendedFrom')}>
      {() => <pre class="tool-text">{escapeUnseen(raw)}</pre>}
    </Fold>
  );
}
