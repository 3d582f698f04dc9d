/** Lists the keys of the page. */
import { keysOpen } from '../keys.js';
import { t, type Word } from '../words/words.js';
import { Dialog } from './dialog.js';

const KEYS: readonly (readonly [string, Word])[] = [
  ['j ↓', 'keyNext'],
  ['k ↑', 'keyBefore'],
  ['1 2', 'keyPages'],
  ['[ ]', 'keyTabs'],
  ['c', 'keyComposer'],
  ['Enter', 'keySend'],
  ['Shift Enter', 'keyLine'],
  ['Esc', 'keyClose'],
  ['?', 'keyHelp'],
];

export function KeysHelp() {
  return (
    <Dialog title={t('keys')} onClose={() => (keysOpen.value = false)}>
      <dl class="keys">
        {KEYS.map(([key, word]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(word)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
