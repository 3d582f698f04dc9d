/** The form of a new run: its goal, and beside it what matters for how the goal is pursued. */

import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import { about, readAbout } from '../about.js';
import { post } from '../ask.js';
import { draft, forget } from '../parts/draft.js';
import { Fold } from '../parts/fold.js';
import { runHref } from '../parts/link.js';
import { Fault, TextArea, useSending } from '../parts/sending.js';
import { go } from '../state.js';
import { t } from '../words/words.js';
import { type AttachedFile, Choice, FieldFault, Folder, type FormState } from './pickers.js';
import {
  type FieldName,
  LIMIT_FIELDS,
  NO_FIELDS,
  type StartFaults,
  type StartFields,
  startBody,
  startDraft,
} from './start-body.js';

const MoreFields = lazily(() => import('./more-fields.js').then(({ MoreFields }) => MoreFields));

interface StartProps {
  /** Id of the conversation that the new run continues. */
  session?: string;
  /** Id of an ended run whose goals and answers the new run knows. */
  after?: string;
  /** Default: the console's folder. */
  workspace?: string | null;
  /** One line until a person types a goal. */
  isSmall?: boolean;
}

export function StartForm({ session, after, workspace = null, isSmall = false }: StartProps) {
  const goesOn = session ?? after;
  const names = startDraft(goesOn);
  const name = names.goal;
  const goal = draft(name);
  const kept = draft(names.fields);
  const others: StartFields = { ...NO_FIELDS, workspace, ...JSON.parse(kept.value || '{}') };
  const faults = useSignal<StartFaults>({});
  const isOpened = useSignal(false);
  const files = useSignal<AttachedFile[]>([]);
  const sending = useSending();
  useEffect(readAbout, []);
  const form: FormState = {
    fields: { ...others, goal: goal.value },
    faults: faults.value,
    set(part) {
      faults.value = without(faults.value, Object.keys(part) as FieldName[]);
      kept.value = JSON.stringify({ ...JSON.parse(kept.value || '{}'), ...part });
    },
  };
  const start = () => {
    const made = startBody(form.fields);
    faults.value = 'faults' in made ? made.faults : {};
    if ('faults' in made) return;
    void sending.send(async () => {
      const body = {
        ...made.body,
        requestId: requestFor(name, goal.value),
        ...(session !== undefined && { session }),
        ...(after !== undefined && { after }),
        ...attachedTo(files.value),
      };
      const { id } = await post<{ id: string }>('runs', body);
      forget(name, names.fields, requestOf(name));
      go(runHref(id));
    });
  };
  return (
    <form
      class={isSmall && !isOpened.value && goal.value === '' ? 'start card small-form' : 'start card'}
      onFocusCapture={() => (isOpened.value = true)}
      aria-label={t(goesOn === undefined ? 'newRun' : 'goOn')}
      onSubmit={event => {
        event.preventDefault();
        start();
      }}
    >
      <TextArea
        label={t('goal')}
        placeholder={t(goesOn === undefined ? 'goalHint' : 'goOnHint')}
        rows={3}
        text={goal}
        onSend={start}
      />
      <FieldFault of={faults.value.goal} />
      <div class="choices">
        <Folder form={form} />
        <Choice word="mode" name="mode" form={form} options={about.value?.modes ?? []} />
        <Choice word="model" name="model" form={form} options={about.value?.models ?? []} typed />
        <label>
          <span>{t('approvals')}</span>
          <select
            value={form.fields.approvals}
            onChange={event => form.set({ approvals: event.currentTarget.value as StartFields['approvals'] })}
          >
            <option value="ask">{t('approvals_ask')}</option>
            <option value="all">{t('approvals_all')}</option>
            <option value="none">{t('approvals_none')}</option>
          </select>
        </label>
      </div>
      <Fold class="data" summary={t('moreChoices')} open={hasMore(others)}>
        {() => <MoreFields form={form} files={files} mayAttach={session === undefined} />}
      </Fold>
      <div class="actions end">
        <label class="keep-open">
          <input
            type="checkbox"
            checked={form.fields.keepOpen}
            onChange={event => form.set({ keepOpen: event.currentTarget.checked })}
          />{' '}
          {t('keepOpen')}
        </label>
        <button type="submit" class="main" disabled={sending.busy || goal.value.trim() === ''}>
          {sending.busy ? t('sending') : t('start')}
        </button>
      </div>
      {Object.keys(faults.value).length > 0 && <Fault of={t('faultsInForm')} />}
      <Fault of={sending.fault} />
    </form>
  );
}

function attachedTo(all: readonly AttachedFile[]): object {
  const files = all.filter(file => 'text' in file);
  const pictures = all.filter(file => 'base64' in file);
  return { ...(files.length > 0 && { files }), ...(pictures.length > 0 && { pictures }) };
}

function without(faults: StartFaults, names: readonly FieldName[]): StartFaults {
  return Object.fromEntries(Object.entries(faults).filter(([name]) => !names.includes(name as FieldName)));
}

/** True if something is set that the folded part of the form has. */
function hasMore({ checks, approvePlan, ...fields }: StartFields): boolean {
  return checks !== '' || approvePlan || LIMIT_FIELDS.some(({ field }) => fields[field] !== '');
}

const requestOf = (name: string) => `${name} request`;

/** Returns the request id of this goal. It survives a reload, so that a repeated request starts no second run. */
function requestFor(name: string, goal: string): string {
  const kept = draft(requestOf(name));
  const [id = '', ...of] = kept.value.split(' ');
  if (id === '' || of.join(' ') !== goal) kept.value = `${crypto.randomUUID()} ${goal}`;
  return kept.value.split(' ', 1)[0] ?? '';
}
