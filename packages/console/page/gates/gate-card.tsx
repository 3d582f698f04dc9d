/** Draws a gate: what is asked, its deadline, and the form of its kind, whose buttons stay in view. */

import { lazily } from '@steersman/components';
import type { WaitingGate } from '@steersman/view';
import { visibleText } from 'steersman/base';
import { hiddenLines, partsOf, replyTo } from 'steersman/rules';
import { formFields } from 'steersman/run';
import { Fold } from '../parts/fold.js';
import { InFolder, Link, runHref } from '../parts/link.js';
import { Fault, useSending } from '../parts/sending.js';
import { Ago, Countdown } from '../parts/time.js';
import { named, said, t } from '../words/words.js';
import { answerGate, gateKey, later, putOff } from './answers.js';
import { AnswersBox } from './answers-box.js';
import { ApprovalForm } from './approval.js';
import { isUsedUp } from './budget.js';
import { callsOf } from './call/call-shown.js';
import { CallView } from './call/call-view.js';
import type { FormProps } from './form-props.js';
import {
  asksMeaning,
  BudgetForm,
  ClientToolForm,
  FailureForm,
  QuestionForm,
  RouteForm,
  StepForm,
} from './forms.js';
import { GateBody, GateParts } from './gate-body.js';
import { gateTitle } from './gate-title.js';

const FieldsForm = lazily(() => import('./fields.js').then(({ FieldsForm }) => FieldsForm));
const PlanForm = lazily(() => import('./plan.js').then(({ PlanForm }) => PlanForm));

export function GateCard({ waiting, inRun }: { waiting: WaitingGate; inRun: boolean }) {
  const { run, goal, gate, workspace } = waiting;
  const key = gateKey(run, gate.id);
  const isLater = later.value.includes(key);
  const title = gateTitle(waiting);
  // Confirming a result is not a change of course.
  const isConfirm = gate.kind === 'route' && gate.subject.act === 'confirm';
  const kind = named('gate', isConfirm ? 'approval' : gate.kind);
  return (
    <article
      class={isLater ? 'card gate later' : 'card gate'}
      data-gate={key}
      aria-label={`${kind}: ${title}`}
      tabIndex={-1}
    >
      <header>
        <span class="chip warn">{kind}</span>
        <h2 class={!isLater && isSaidBelow(gate, title) ? 'sr' : ''}>{title}</h2>
        <button type="button" class="quiet small" onClick={() => putOff(key, !isLater)}>
          {isLater ? t('showNow') : t('later')}
        </button>
      </header>
      <p class="about">
        {!inRun && <Link to={runHref(run)}>{visibleText(goal ?? run)}</Link>}
        {gate.from && <span>{t('fromAgent', { agent: visibleText(gate.from.agent) })}</span>}
        {!inRun && workspace && <InFolder path={workspace} />}
        <Ago at={gate.openedAt} />
        {gate.deadline !== null && <Countdown to={gate.deadline} />}
      </p>
      {!isLater && <GateForm waiting={waiting} />}
    </article>
  );
}

/** True for a question that is shown below in full, because it has several lines. */
function isSaidBelow(gate: WaitingGate['gate'], title: string): boolean {
  const [said] = gate.kind === 'question' ? partsOf(gate) : [];
  return said?.kind === 'said' && said.text.trim().replace(/\s+/g, ' ').startsWith(title.replace(/…$/, ''));
}

function GateForm({ waiting }: { waiting: WaitingGate }) {
  const { run, gate, input } = waiting;
  const sending = useSending();
  const status = (
    <>
      {sending.busy && <p class="muted">{t('sending')}</p>}
      <Fault of={sending.fault} />
    </>
  );
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
    status,
  };
  return (
    // A refusal is shown until the person types something else.
    <div class="gate-form" onInput={() => sending.say(null)}>
      {gate.kind === 'approval' ? (
        <ApprovalForm {...props} gate={gate} />
      ) : (
        <>
          <Asked waiting={waiting} />
          <AnswersBox>
            {formOf(gate, props)}
            {gate.kind !== 'form' && status}
          </AnswersBox>
        </>
      )}
    </div>
  );
}

/** Draws what is asked, without what the title and the form say. */
function Asked({ waiting: { gate, input, tasks = [] } }: { waiting: WaitingGate }) {
  if (gate.kind === 'clientTool')
    return (
      <GateBody>
        {callsOf(gate, input).map(({ change }, at) => (
          <CallView key={at} change={change} />
        ))}
      </GateBody>
    );
  const isOfRun = gate.kind === 'question' && asksMeaning(gate);
  const parts = partsOf(gate).map(part =>
    isOfRun && part.kind === 'said' ? { ...part, text: said(part.text) } : part,
  );
  const [, ...hidden] = hiddenLines(gate, { input, tasks });
  if (gate.kind === 'form') {
    const code = parts.find(part => part.kind === 'code');
    const lines = code?.kind === 'code' ? code.text.split('\n') : [];
    // Leaves out the last lines, which name the fields: the form below shows them.
    const message = lines.slice(0, lines.length - formFields(gate.subject.schema).length).join('\n');
    return (
      <GateBody>
        <p class="muted">{t('formSays', { tool: visibleText(gate.subject.tool) })}</p>
        <blockquote>{message}</blockquote>
        <p class="muted">{t('formSecrets')}</p>
      </GateBody>
    );
  }
  // The form says how much is used.
  if (gate.kind === 'budget' && isUsedUp(gate.subject)) return null;
  // Options are buttons of the form.
  if (parts.every(({ kind }) => kind === 'options')) return null;
  return (
    <GateBody>
      <GateParts parts={parts} />
      {hidden.length > 0 && (
        <Fold class="data" summary={t('allTasks')}>
          {() => <pre class="tool-text">{said(hidden.join('\n'))}</pre>}
        </Fold>
      )}
    </GateBody>
  );
}

function formOf(
  gate: Exclude<WaitingGate['gate'], { kind: 'approval' }>,
  props: Omit<FormProps<typeof gate.kind>, 'gate'>,
) {
  switch (gate.kind) {
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
