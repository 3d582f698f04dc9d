/** The properties of a gate's form. */
import type { ComponentChildren } from 'preact';
import type { Gate, GateKind, ToolInput } from 'steersman/client';
import type { PersonInput } from 'steersman/rules';
import type { Sending } from '../parts/sending.js';

export interface FormProps<K extends GateKind> {
  run: string;
  gate: Extract<Gate, { kind: K }>;
  /** Identifies the gate among those of all runs. */
  key_: string;
  /** All arguments of its tool call; null if no worker answers. */
  input: ToolInput | null;
  sending: Sending;
  answer(given: PersonInput): void;
  /** The state of sending, drawn below the buttons. */
  status: ComponentChildren;
}
