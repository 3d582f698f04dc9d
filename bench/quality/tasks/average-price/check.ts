import { type Checker, hasFigure, needs, onlyChanged, tells } from '../../check.js';

/** 645 euros for 60 kilos. */
const BY_KILO = [10.75];
/** Of three prices. */
const BY_PURCHASE = [12];

/** Both averages are right if the answer says which one it gives. */
export const check: Checker = end => {
  const byKilo = BY_KILO.some(figure => hasFigure(end.answer, figure));
  const byPurchase = BY_PURCHASE.some(figure => hasFigure(end.answer, figure));
  return [
    ...onlyChanged(end, []),
    ...needs(byKilo || byPurchase || end.answer.includes('?'), 'the answer has neither average'),
    ...tells(
      end,
      byKilo
        ? /weight|by (the )?(kilo|quantity|amount)|per kilo bought|total|645|60 (kilos|kg)|\ball (the )?kilos/i
        : /simple|unweighted|plain|arithmetic|of the (three )?(prices|purchases)|each purchase|\?/i,
      'which average it is',
    ),
  ];
};
