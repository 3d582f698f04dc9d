/** Shows the plan with the states of its tasks, and its editor. */

import { useSignal } from '@preact/signals';
import { lazily, Markdown } from '@steersman/components';
import { visibleText } from 'steersman/base';
import type { Task } from 'steersman/client';
import { planInForce } from 'steersman/run';
import { post, runPath } from '../ask.js';
import { Fold } from '../parts/fold.js';
import { useSending } from '../parts/sending.js';
import type { RunModel } from '../run-model.js';
import { named, said, t } from '../words/words.js';

const PlanEditor = lazily(() => import('../parts/plan-editor.js').then(({ PlanEditor }) => PlanEditor));

const SIGNS: Record<Task['status'], string> = {
  pending: '○',
  executing: '◐',
  completed: '●',
  failed: '✕',
  skipped: '⊘',
  blocked: '▣',
};

export function Plan({ run }: { run: RunModel }) {
  void run.version.value;
  const isEditing = useSignal(false);
  const sending = useSending();
  const tasks = planInForce(run.snapshot?.tasks ?? []);
  const done = tasks.filter(task => liveStatus(run, task) === 'completed').length;
  const save = async (edited: object[], remove: string[]) => {
    const change = { tasks: edited, remove };
    if (await sending.send(() => post(runPath(run.id, 'plan'), change))) isEditing.value = false;
  };
  return (
    <section class="panel" aria-label={t('plan')}>
      <header>
        <h2>{t('plan')}</h2>
        {tasks.length > 0 && (
          <span class="muted">
            {done}/{tasks.length}
          </span>
        )}
        {!run.ended && run.snapshot?.endedAt === null && tasks.length > 0 && !isEditing.value && (
          <button type="button" class="quiet small" onClick={() => (isEditing.value = true)}>
            {t('editPlan')}
          </button>
        )}
      </header>
      {tasks.length === 0 && <p class="muted">{t('noPlan')}</p>}
      {isEditing.value ? (
        <PlanEditor
          whole={false}
          tasks={tasks}
          sending={sending}
          onSave={(edited, removed) => void save(edited, removed)}
          onClose={() => (isEditing.value = false)}
        />
      ) : (
        <ol class="plan">
          {tasks.map(task => (
            <TaskView key={task.id} task={task} status={liveStatus(run, task)} />
          ))}
        </ol>
      )}
    </section>
  );
}

/** Events arrive before the next snapshot, so they show the newer status. */
function liveStatus({ progress }: RunModel, { id, status }: Task): Task['status'] {
  const latest = progress.tasks.find(task => task.id === id)?.status;
  return (latest as Task['status'] | undefined) ?? status;
}

function TaskView({ task, status }: { task: Task; status: Task['status'] }) {
  const { id, description, completionCriteria, call, dependencies, reason, result, overdue } = task;
  return (
    <li class={`task ${status}`}>
      <span class="sign" role="img" aria-label={named('status', status)} title={named('status', status)}>
        {SIGNS[status]}
      </span>
      <div>
        <p>
          <strong>{visibleText(id)}</strong> {visibleText(description)}
        </p>
        <p class="muted">
          {status !== 'pending' && status !== 'completed' && <span>{named('status', status)}</span>}
          {reason !== null && <span>{said(reason.replaceAll('_', ' '))}</span>}
          {overdue && <span class="chip warn">{t('overdue')}</span>}
          {dependencies.length > 0 && <span>{t('after', { ids: dependencies.join(', ') })}</span>}
          {call && <code>{visibleText(`${call.tool} ${JSON.stringify(call.arguments)}`)}</code>}
          {completionCriteria !== null && (
            <span>{t('doneWhen', { criterion: visibleText(completionCriteria) })}</span>
          )}
        </p>
        {result !== null && result.trim() !== '' && (
          <Fold class="data" summary={t('report')}>
            {() => <Markdown text={result} />}
          </Fold>
        )}
      </div>
    </li>
  );
}
