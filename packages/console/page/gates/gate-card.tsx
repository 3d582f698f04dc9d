/** Draws a gate: its question, its deadline, and the form of its kind. */

import { lazily } from '@steersman/components';
import type { WaitingGate } from '@steersman/view';
import { visibleText } from 'steersman/base';
import { hiddenLines, partsOf, replyTo } from 'steersman/rules';
import { Fold } from '../parts/fold.js';
import { Link, runHref } from '../parts/link.js';
import { Fault, useSending } from '../parts/sending.js';
import { useStill } from '../parts/still.js';
import { Ago, Countdown } from '../parts/time.js';
import { named, t } from '../words/words.js';
import { answerGate, gateKey, later, putOff } from './answers.js';
import { ApprovalForm } from './approval.js';
import type { FormProps } from './form-props.js';
import { BudgetForm, ClientToolForm, FailureForm, QuestionForm, RouteForm, StepForm } from './forms.js';
import { GateBody } from './gate-body.js';

const FieldsForm = lazily(() => import('./fields.js').then(({ FieldsForm }) => FieldsForm));
const PlanForm = lazily(() => import('./plan.js').then(({ PlanForm }) => PlanForm));

export function GateCard({ waiting, inRun }: { waiting: WaitingGate; inRun: boolean }) {
  const { run, goal, gate, input, tasks = [] } = waiting;
  const [, ...hidden] = hiddenLines(gate, { input, tasks });
  const key = gateKey(run, gate.id);
  const isLater = later.value.includes(key);
  const { ref, guard } = useStill();
  return (
    <article
      class={isLater ? 'card gate later' : 'card gate'}
      data-gate={key}
      aria-label={`${named('gate', gate.kind)}: ${visibleText(gate.title)}`}
      tabIndex={-1}
    >
      <header>
        <span class="chip warn">{named('gate', gate.kind)}</span>
        <h2>{visibleText(gate.title)}</h2>
        {gate.deadline !== null && <Countdown to={gate.deadline} />}
        <button type="button" class="quiet small" onClick={() => putOff(key, !isLater)}>
          {isLater ? t('showNow') : t('later')}
        </button>
      </header>
      <p class="about">
        {!inRun && <Link to={runHref(run)}>{goal ?? run}</Link>}
        {gate.from && <span>{t('fromAgent', { agent: visibleText(gate.from.agent) })}</span>}
        <Ago at={gate.openedAt} />
      </p>
      {!isLater && (
        <>
          <GateBody parts={partsOf(gate)} />
          {hidden.length > 0 && (
            <Fold class="data" summary={t(gate.kind === 'plan' ? 'allTasks' : 'allArguments')}>
              {() => <pre class="tool-text">{hidden.join('\n')}</pre>}
            </Fold>
          )}
          <div class="answers" ref={ref} onClickCapture={guard}>
            <GateForm waiting={waiting} />
          </div>
        </>
      )}
    </article>
  );
}

function GateForm({ waiting: { run, gate, input } }: { waiting: WaitingGate }) {
  const sending = useSending();
  const props: Omit<FormProps<typeof gate.kind>, 'gate'> = {
    run,
    key_: gateKey(run, gate.id),
    input,
    sending,
    answer: given => {
      const made = replyTo(gate, given);
      if ('fault' in made) sending.say(t(made.fault, { field: made.field ?? '' }));
      else void sending.send(() => answerGate(run, gate, made.input));
    },
  };
  return (
    // A refusal is shown until the person types something else.
    <div onInput={() => sending.say(null)}>
      {formOf(gate, props)}
      {sending.busy && <p class="muted">{t('sending')}</p>}
      <Fault of={sending.fault} />
    </div>
  );
}

function formOf(gate: WaitingGate['gate'], props: Omit<FormProps<typeof gate.kind>, 'gate'>) {
  switch (gate.kind) {
    case 'approval':
      return <ApprovalForm {...props} gate={gate} />;
    case 'plan':
      return <PlanForm {...props} gate={gate} />;
    case 'question':
      return <QuestionForm {...props} gate={gate} />;
    case 'route':
      return <RouteForm {...props} gate={gate} />;
    case 'clientTool':
      return <ClientToolForm {...props} gate={gate} />;
    case 'budget':
      return <BudgetForm {...props} gate={gate} />;
    case 'failure':
      return <FailureForm {...props} gate={gate} />;
    case 'step':
      return <StepForm {...props} gate={gate} />;
    case 'form':
      return <FieldsForm {...props} gate={gate} />;
  }
}
