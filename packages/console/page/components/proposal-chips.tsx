/** Shows proposals of components and apps above the composer. Only a person's click sends one, after they could see it. */

import { ToolContent } from '@steersman/components';
import { freshId } from '../parts/draft.js';
import { Fold } from '../parts/fold.js';
import { EarlyClick, useStill } from '../parts/still.js';
import { sendNote } from '../run/messages.js';
import { t } from '../words/words.js';
import { dismiss, type Proposal, proposals } from './proposals.js';

export function ProposalChips({ run }: { run: string }) {
  const all = proposals.value[run] ?? [];
  return (
    <div class="proposals">
      {all.map(each => (
        <Chip key={each.key} run={run} proposal={each} />
      ))}
    </div>
  );
}

function Chip({ run, proposal }: { run: string; proposal: Proposal }) {
  const { key, server, action, label, data } = proposal;
  const { ref, guard, isEarly } = useStill();
  const send = () => {
    dismiss(run, key);
    const note = { id: freshId(), text: label, at: Date.now(), fault: null };
    const kind =
      action === null ? ({ kind: 'steer' } as const) : ({ kind: 'component-action', action, data } as const);
    void sendNote(run, { ...note, when: 'skip', to: '', ...kind });
  };
  return (
    <div ref={ref} class="proposal" onClickCapture={guard}>
      <span class="muted">{server === null ? t('proposed') : t('appSays', { server })}</span>{' '}
      <strong class="plain">{label}</strong>
      {data !== null && (
        <Fold class="data" summary={t('asData')}>
          {() => <ToolContent text={JSON.stringify(data)} />}
        </Fold>
      )}
      <span class="ends">
        <button type="button" class="small" onClick={send}>
          {t('send')}
        </button>
        <button type="button" class="quiet small" onClick={() => dismiss(run, key)}>
          {t('dismiss')}
        </button>
      </span>
      <EarlyClick of={isEarly} />
    </div>
  );
}
