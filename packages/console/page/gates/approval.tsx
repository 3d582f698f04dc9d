/** A waiting tool call: its change, and the buttons to approve it, always approve it, deny it, or approve it with changes. */
import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { escapeUnseen, visibleText } from 'steersman/base';
import type { Gate } from 'steersman/client';
import { draft } from '../parts/draft.js';
import { Fold } from '../parts/fold.js';
import { said, t } from '../words/words.js';
import { draftKey } from './answers.js';
import { AnswersBox } from './answers-box.js';
import { isEdited, withTexts } from './call/argument-fields.js';
import { alwaysOf, callsOf, earlierTexts, mendedFrom, type ShownCall } from './call/call-shown.js';
import { CallView } from './call/call-view.js';
import type { FormProps } from './form-props.js';
import { ReasonField } from './forms.js';
import { GateBody } from './gate-body.js';

const CallEditor = lazily(() => import('./call/call-editor.js').then(({ CallEditor }) => CallEditor));

export function ApprovalForm(props: FormProps<'approval'>) {
  const { gate, input, status } = props;
  const decision = useDecision(props);
  const { texts, isEditing } = decision;
  const calls = callsOf(gate, input);
  const isOne = calls.length === 1;
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
              number={isOne ? null : at + 1}
              except={isOne ? null : decision.exceptOf(at + 1)}
            />
          ))
        )}
        <Mended gate={gate} />
      </GateBody>
      <AnswersBox>
        <Decide {...props} decision={decision} />
        {!isEditing.value && <Always {...props} />}
        {status}
      </AnswersBox>
    </>
  );
}

type Decision = ReturnType<typeof useDecision>;

/** Drafts of this gate: arguments that a person has changed, and calls that they leave out. */
function useDecision({ key_, input, sending, answer }: FormProps<'approval'>) {
  const texts = draft(draftKey(key_, 'arguments'));
  const left = draft(draftKey(key_, 'except'));
  const isEditing = useSignal(texts.peek() !== '');
  const except = JSON.parse(left.value || '{}') as Record<string, string>;
  const isLess = Object.keys(except).length > 0;
  return {
    texts,
    isEditing,
    isLess,
    exceptOf: (number: number): Except => ({
      reason: except[number] ?? null,
      set(reason) {
        const { [number]: _gone, ...others } = except;
        left.value = JSON.stringify(reason === null ? others : { ...others, [number]: reason });
      },
    }),
    /** Discarding the edit also clears its draft, so that a reload does not restore it. */
    edit() {
      texts.value = '';
      isEditing.value = !isEditing.value;
    },
    approve() {
      if (Object.values(except).some(each => each.trim() === '')) return sending.say(t('faultLeaveOut'));
      if (isLess) return answer({ decision: 'approve', except });
      const changed = JSON.parse(texts.value || '{}') as Record<string, string>;
      if (!isEditing.value || input === null || !isEdited(input, changed))
        return answer({ decision: 'approve' });
      const edited = withTexts(input, changed);
      if ('fault' in edited) return sending.say(t('faultField', { field: edited.fault }));
      answer({ decision: 'approve', arguments: edited.input });
    },
  };
}

function Decide({
  key_,
  input,
  sending: { busy },
  answer,
  decision: { isEditing, isLess, approve, edit },
}: FormProps<'approval'> & { decision: Decision }) {
  const reason = draft(draftKey(key_, 'reason'));
  return (
    <div class="actions">
      <button type="button" class="main" disabled={busy} onClick={approve}>
        {t(isEditing.value ? 'approveEdited' : isLess ? 'approveRest' : 'approve')}
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
  );
}

const ALWAYS = [
  ['run', 'alwaysRun'],
  ['workspace', 'alwaysWorkspace'],
] as const;

/** Edited arguments can be approved only once, so these choices are then hidden. */
function Always({ gate, sending, answer }: FormProps<'approval'>) {
  const always = alwaysOf(gate.subject);
  if (always === null) return null;
  return (
    <div class="actions always">
      {ALWAYS.map(([alwaysFor, word]) => (
        <button
          key={alwaysFor}
          type="button"
          class="small"
          disabled={sending.busy}
          onClick={() => answer({ decision: 'always', alwaysFor })}
        >
          {t(word)}
        </button>
      ))}
      <span class="muted">{visibleText(t(always.word, always.values))}</span>
    </div>
  );
}

const COMPARED = {
  changed: null,
  new: 'comparedNew',
  same: 'comparedSame',
  unread: 'comparedUnread',
} as const;

/** The words of `COMPARED` for a tool of another server, whose effect is unknown. */
const COMPARED_OTHER = { ...COMPARED, new: 'comparedNewOther', same: 'comparedSameOther' } as const;

/** The model's words about the reply's calls, and the texts of a gate of an earlier version. */
function Grounds({ gate }: { gate: Extract<Gate, { kind: 'approval' }> }) {
  const { why } = gate.subject;
  return (
    <>
      {earlierTexts(gate).map(text => (
        <p key={text}>{said(text)}</p>
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
  /** Null if the gate asks about one call: the title then says what it does. */
  number: number | null;
  except: Except | null;
}

function Call({ call: { act, change, concerns, compared, isOwn }, number, except }: CallProps) {
  const word = compared && (isOwn ? COMPARED : COMPARED_OTHER)[compared];
  // In a list, the act is not written as a question.
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
          {visibleText(said(concern))}
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
