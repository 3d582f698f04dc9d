/** Forms of gates that take one decision or one text. */
import type { Signal } from '@preact/signals';
import { formatCount, visibleText } from 'steersman/base';
import { draft } from '../parts/draft.js';
import { costWords } from '../parts/figures.js';
import { TextArea } from '../parts/sending.js';
import { durationWords } from '../parts/time.js';
import { said, t, type Word } from '../words/words.js';
import { draftKey } from './answers.js';
import { isUsedUp } from './budget.js';
import { proposedLimit, typedLimit } from './budget-field.js';
import type { FormProps } from './form-props.js';

export function ReasonField({
  reason,
  placeholder = t('reason'),
}: {
  reason: Signal<string>;
  placeholder?: string;
}) {
  return (
    <input
      class="reason"
      aria-label={placeholder}
      placeholder={placeholder}
      value={reason.value}
      onInput={event => {
        reason.value = event.currentTarget.value;
      }}
    />
  );
}

/** True for the run's own question about a message, whose words the page can say in its language. */
export function asksMeaning({ subject }: FormProps<'question'>['gate']): boolean {
  return subject.role === 'understanding';
}

export function QuestionForm({ gate, key_, sending, answer }: FormProps<'question'>) {
  const text = draft(draftKey(key_, 'text'));
  // The sent option is exactly the visible text.
  const options = (gate.subject.options ?? []).map(visibleText);
  return (
    <>
      {options.length > 0 && (
        <fieldset class="options" aria-label={t('options')}>
          {options.map(option => (
            <button
              key={option}
              type="button"
              disabled={sending.busy}
              onClick={() => answer({ text: option })}
            >
              {asksMeaning(gate) ? said(option) : option}
            </button>
          ))}
        </fieldset>
      )}
      <TextForm
        label={options.length > 0 ? t('otherAnswer') : t('answer')}
        text={text}
        busy={sending.busy}
        onSend={() => answer({ text: text.value })}
      />
    </>
  );
}

interface TextFormProps {
  label: string;
  text: Signal<string>;
  busy: boolean;
  onSend: () => void;
}

function TextForm({ label, text, busy, onSend }: TextFormProps) {
  return (
    <div class="actions">
      <TextArea label={label} placeholder={label} rows={2} text={text} onSend={onSend} />
      <button type="button" class="main" disabled={busy} onClick={onSend}>
        {t('send')}
      </button>
    </div>
  );
}

export function RouteForm({ gate, key_, sending, answer }: FormProps<'route'>) {
  const reason = draft(draftKey(key_, 'reason'));
  return (
    <div class="actions">
      <button
        type="button"
        class="main"
        disabled={sending.busy}
        onClick={() => answer({ decision: 'approve', reason: reason.value })}
      >
        {t('approve')}
      </button>
      <ReasonField reason={reason} />
      <button
        type="button"
        disabled={sending.busy}
        onClick={() => answer({ decision: 'deny', reason: reason.value })}
      >
        {t(gate.subject.act === 'confirm' ? 'deny' : 'goOnAsItIs')}
      </button>
    </div>
  );
}

export function ClientToolForm({ gate, key_, sending, answer }: FormProps<'clientTool'>) {
  const text = draft(draftKey(key_, 'text'));
  const { claimedBy } = gate.subject;
  return (
    <>
      {claimedBy !== undefined && <p class="muted">{t('claimedBy', { who: visibleText(claimedBy) })}</p>}
      <textarea
        class="code"
        aria-label={t('result')}
        placeholder={t('resultHint')}
        rows={4}
        value={text.value}
        onInput={event => {
          text.value = event.currentTarget.value;
        }}
      />
      <div class="actions">
        <button
          type="button"
          class="main"
          disabled={sending.busy}
          onClick={() => answer({ result: text.value })}
        >
          {t('giveResult')}
        </button>
        <button
          type="button"
          class="bad"
          disabled={sending.busy}
          onClick={() => answer({ result: text.value, isError: true })}
        >
          {t('giveError')}
        </button>
      </div>
    </>
  );
}

export function BudgetForm({ gate: { subject }, key_, sending, answer }: FormProps<'budget'>) {
  const { budget, limit, used } = subject;
  const to = draft(draftKey(key_, 'to'), proposedLimit(subject));
  return (
    <>
      {isUsedUp(subject) && (
        <p>{t('budgetUsed', { used: amountOf(budget, used), limit: amountOf(budget, limit) })}</p>
      )}
      <div class="actions">
        <label>
          {t('raiseTo')}{' '}
          <input
            class="number"
            inputMode="decimal"
            value={to.value}
            onInput={event => {
              to.value = event.currentTarget.value;
            }}
          />{' '}
          {budget === 'wallTimeMs' ? t('minutes').toLowerCase() : budget === 'costUsd' ? '$' : ''}
        </label>
        <button
          type="button"
          class="main"
          disabled={sending.busy}
          onClick={() => answer({ decision: 'raise', to: typedLimit(subject, to.value) })}
        >
          {t('raise')}
        </button>
        <button type="button" disabled={sending.busy} onClick={() => answer({ decision: 'wrap_up' })}>
          {t('wrapUp')}
        </button>
      </div>
    </>
  );
}

function amountOf(budget: string, amount: number): string {
  if (budget === 'wallTimeMs') return durationWords(amount);
  return budget === 'costUsd' ? costWords(amount) : formatCount(amount);
}

export function FailureForm({ gate, sending: { busy }, answer }: FormProps<'failure'>) {
  return (
    <div class="actions">
      <button type="button" class="main" disabled={busy} onClick={() => answer({ decision: 'retry' })}>
        {t('retry')}
      </button>
      {gate.subject.models.map(model => (
        <button
          key={model}
          type="button"
          disabled={busy}
          onClick={() => answer({ decision: 'other_model', model })}
        >
          {t('otherModel', { model })}
        </button>
      ))}
      <button type="button" class="bad" disabled={busy} onClick={() => answer({ decision: 'stop' })}>
        {t('stopRun')}
      </button>
    </div>
  );
}

const STEPS = [
  ['skip', 'skipTask', 'main'],
  ['replan', 'replan', ''],
  ['abort', 'abortPlan', 'bad'],
] as const satisfies readonly (readonly [string, Word, string])[];

export function StepForm({ gate, key_, sending, answer }: FormProps<'step'>) {
  const reason = draft(draftKey(key_, 'reason'));
  return (
    <div class="actions">
      <ReasonField reason={reason} />
      {STEPS.filter(([decision]) => decision !== 'replan' || gate.subject.canReplan).map(
        ([decision, word, look]) => (
          <button
            key={decision}
            type="button"
            class={look}
            disabled={sending.busy}
            onClick={() => answer({ decision, reason: reason.value })}
          >
            {t(word)}
          </button>
        ),
      )}
    </div>
  );
}
