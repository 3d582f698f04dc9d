/** Lists open gates in order. A gate that another client closed shows that in its place until it is dismissed. */

import { useSignal } from '@preact/signals';
import { lazily } from '@steersman/components';
import type { WaitingGate } from '@steersman/view';
import { useEffect } from 'preact/hooks';
import { t } from '../words/words.js';
import { closedTitle, gateKey, howClosed, isAnsweredHere, taken } from './answers.js';
import { gateTitle } from './gate-title.js';

const GateCard = lazily(() => import('./gate-card.js').then(({ GateCard }) => GateCard));

interface Shown {
  key: string;
  waiting: WaitingGate;
  /** The way in which the gate was closed; null while it is open. */
  closed: string | null;
}

interface ListProps {
  gates: readonly WaitingGate[];
  /** True on the page of the gates' run. */
  inRun?: boolean;
}

export function GateList({ gates, inRun = false }: ListProps) {
  const shown = useSignal<Shown[]>(gates.map(opened));
  useEffect(() => {
    const before = shown.peek();
    shown.value = merged(before, gates);
    for (const { key, waiting, closed } of shown.value) {
      if (closed !== '' || before.find(each => each.key === key)?.closed === '') continue;
      void howClosed(waiting.run, waiting.gate.id).then(words => {
        // The gate may be listed as open again by now: a restarted console did not know it, so it had seemed closed.
        shown.value = shown.value.map(each =>
          each.key === key && each.closed === '' ? { ...each, closed: words } : each,
        );
      });
    }
  }, [gates]);
  const dismiss = (key: string) => {
    shown.value = shown.value.filter(each => each.key !== key);
  };
  return (
    <div class="gates">
      {shown.value
        .filter(({ key }) => !taken.value.has(key))
        .map(({ key, waiting, closed }) =>
          closed === null ? (
            <GateCard key={key} waiting={waiting} inRun={inRun} />
          ) : (
            <ClosedCard key={key} waiting={waiting} closed={closed} onDismiss={() => dismiss(key)} />
          ),
        )}
    </div>
  );
}

function opened(waiting: WaitingGate): Shown {
  return { key: gateKey(waiting.run, waiting.gate.id), waiting, closed: null };
}

/** Returns the open gates, and those that were closed elsewhere. */
function merged(before: readonly Shown[], gates: readonly WaitingGate[]): Shown[] {
  const open = new Map(gates.map(gate => [gateKey(gate.run, gate.gate.id), gate]));
  const kept = before.flatMap((each): Shown[] => {
    const waiting = open.get(each.key);
    if (waiting) return [{ ...each, waiting, closed: null }];
    if (isAnsweredHere(each.key)) return [];
    // The reason is filled in when it is loaded.
    return [{ ...each, closed: each.closed ?? '' }];
  });
  const known = new Set(before.map(({ key }) => key));
  return [...kept, ...gates.map(opened).filter(({ key }) => !known.has(key))];
}

function ClosedCard({
  waiting,
  closed,
  onDismiss,
}: {
  waiting: WaitingGate;
  closed: string;
  onDismiss: () => void;
}) {
  return (
    <article class="card closed" role="status">
      <p>
        <strong>{closedTitle(waiting.gate.kind, gateTitle(waiting))}</strong> · {closed || t('closedSomehow')}
      </p>
      <button type="button" class="quiet" onClick={onDismiss}>
        {t('dismiss')}
      </button>
    </article>
  );
}
