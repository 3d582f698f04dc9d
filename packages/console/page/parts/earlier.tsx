/** What came before the first entry or bar that is drawn: read where it is not here, on demand. */

import type { RunModel } from '../run-model.js';
import { t } from '../words/words.js';
import { Fault, useSending } from './sending.js';

interface EarlierProps {
  run: RunModel;
  /** Some of what is here is not drawn. */
  isHidden?: boolean;
  /** More is read before that is used up. */
  isNear?: boolean;
  onMore?: () => void;
}

export function Earlier({ run, isHidden = false, isNear = true, onMore }: EarlierProps) {
  void run.version.value;
  const sending = useSending();
  const isMore = run.from !== null && run.from > 1;
  if (!isHidden && !isMore) return null;
  const more = async () => {
    if (isNear && isMore) await run.readEarlier();
    onMore?.();
  };
  return (
    <div class="earlier">
      <button type="button" class="quiet" disabled={sending.busy} onClick={() => void sending.send(more)}>
        {sending.busy ? t('loading') : t('earlier')}
      </button>
      <Fault of={sending.fault} />
    </div>
  );
}
