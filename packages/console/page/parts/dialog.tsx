/** A modal dialog: Escape closes it, and the focus returns to its previous element. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../words/words.js';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label={t('close')} onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  text: string;
  yes: string;
  onYes: () => void;
  onClose: () => void;
  /** Below the buttons. */
  children?: ComponentChildren;
}

export function Confirm({ title, text, yes, onYes, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="actions end">
        <button type="button" onClick={onClose}>
          {t('back')}
        </button>
        <button
          type="button"
          class="bad"
          onClick={() => {
            onYes();
            onClose();
          }}
        >
          {yes}
        </button>
      </div>
      {children}
    </Dialog>
  );
}
