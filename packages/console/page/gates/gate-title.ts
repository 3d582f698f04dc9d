/** The title of a gate in the page's language. Words of models stay as they are. */

import type { WaitingGate } from '@steersman/view';
import { visibleText } from 'steersman/base';
import { named, said, t } from '../words/words.js';
import { isUsedUp } from './budget.js';
import { actOf } from './call/act.js';

export function gateTitle({ gate, input }: Pick<WaitingGate, 'gate' | 'input'>): string {
  return visibleText(titleOf(gate, input));
}

function titleOf(gate: WaitingGate['gate'], input: WaitingGate['input']): string {
  switch (gate.kind) {
    case 'approval': {
      const { calls } = gate.subject;
      if (calls !== undefined) return t('titleEdits', { count: calls.length });
      const { word, values } = actOf(gate.subject, input);
      return t(word, values);
    }
    case 'clientTool':
      return t('titleClientTool', { tool: gate.subject.tool });
    case 'plan':
      return t('titlePlan', { count: gate.subject.tasks });
    case 'budget':
      if (!isUsedUp(gate.subject)) return said(gate.title);
      return t('titleBudget', { budget: named('budget', gate.subject.budget) });
    case 'failure':
      return t('titleFailure', { model: gate.subject.model });
    case 'step':
      return t('titleStep');
    case 'form':
      return t('titleForm', { server: gate.subject.server });
    case 'question':
    case 'route':
      return said(gate.title);
  }
}
