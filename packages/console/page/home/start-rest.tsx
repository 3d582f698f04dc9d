/** The settings of a start besides its goal, and how a start is sent. */

import type { Signal } from '@preact/signals';
import { lazily } from '@steersman/components';
import { useEffect } from 'preact/hooks';
import { about, models, readAbout } from '../about.js';
import { AskFault, post } from '../ask.js';
import { freshId } from '../parts/draft.js';
import { Fold } from '../parts/fold.js';
import { runHref } from '../parts/link.js';
import { Fault, faultWords, type Sending } from '../parts/sending.js';
import { go } from '../state.js';
import { t } from '../words/words.js';
import { Choice, FieldFault, Folder, type FormState } from './pickers.js';
import {
  type FieldName,
  LIMIT_FIELDS,
  NO_FIELDS,
  refusedField,
  requestIdOf,
  type StartFaults,
  type StartFields,
  startBody,
} from './start-body.js';
import { type AttachedFile, forgetStart, type GoesOn, startDraft } from './start-draft.js';

const MoreFields = lazily(() => import('./more-fields.js').then(({ MoreFields }) => MoreFields));

interface RestProps extends GoesOn {
  faults: Signal<StartFaults>;
  sending: Sending;
}

export function StartRest({ faults, sending, ...given }: RestProps) {
  const { goal, fields: kept, files } = startDraft(given);
  const form: FormState = {
    fields: fieldsOf(given),
    faults: faults.value,
    set(part) {
      faults.value = without(faults.value, Object.keys(part) as FieldName[]);
      kept.value = JSON.stringify({ ...chosenIn(kept.value), ...part });
    },
  };
  useEffect(readAbout, []);
  return (
    <>
      <FieldFault of={form.faults.goal} />
      <Choices form={form} />
      <Fold class="data" summary={t('moreChoices')} open={hasMore(form.fields) || files.value.length > 0}>
        {() => <MoreFields form={form} files={files} mayAttach={given.session === undefined} />}
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
      {Object.keys(form.faults).length > 0 && <Fault of={t('faultsInForm')} />}
      <Fault of={sending.fault} />
    </>
  );
}

/** Sends the draft and leads to its run. Faults of fields are shown in the form. Throws any other refusal. */
export async function startRun(given: GoesOn, faults: Signal<StartFaults>): Promise<void> {
  const { session, after } = given;
  const { request: word, files } = startDraft(given);
  const made = startBody(fieldsOf(given));
  faults.value = 'faults' in made ? made.faults : {};
  if ('faults' in made) return;
  const body = {
    ...made.body,
    ...(session !== undefined && { session }),
    ...(after !== undefined && { after }),
    ...attachedTo(files.value),
  };
  word.value ||= freshId();
  const asked = { ...body, requestId: requestIdOf(word.value, body) };
  const started = await post<{ id: string }>('runs', asked).catch((error: unknown) => {
    const refused = refusedField(error instanceof AskFault ? error.option : null, faultWords(error));
    if (refused === null) throw error;
    faults.value = refused;
    return null;
  });
  if (started === null) return;
  forgetStart(given);
  go(runHref(started.id));
}

function chosenIn(kept: string): Partial<StartFields> {
  return JSON.parse(kept || '{}') as Partial<StartFields>;
}

function fieldsOf(given: GoesOn): StartFields {
  const { goal, fields } = startDraft(given);
  return { ...NO_FIELDS, workspace: given.workspace ?? null, ...chosenIn(fields.value), goal: goal.value };
}

function Choices({ form }: { form: FormState }) {
  return (
    <div class="choices">
      <Folder form={form} />
      <Choice word="mode" name="mode" form={form} options={about.value?.modes ?? []} />
      <Choice
        word="model"
        name="model"
        form={form}
        options={[...new Set([...(about.value?.models ?? []), ...models.value])]}
        typed
      />
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

/** True if a field in the folded part of the form is set. */
function hasMore({ checks, approvePlan, ...fields }: StartFields): boolean {
  return checks !== '' || approvePlan || LIMIT_FIELDS.some(({ field }) => fields[field] !== '');
}
