/** A button that shows earlier entries, and reads them from the server if necessary. */

import type { RunModel } from '../run-model.js';
import { t } from '../words/words.js';
import { Fault, useSending } from './sending.js';

interface EarlierProps {
  run: RunModel;
  /** True if some loaded entries are not drawn. */
  isHidden?: boolean;
  /** True if few loaded entries remain: then more are read. */
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
