import { isRecord } from '../../../../src/base/json/json.js';
import { type Checker, jsonOf, needs, onlyChanged } from '../../check.js';

/** An archived department may be left out, or have the total 0. */
const TOTALS = { Engineering: 201_500.5, Sales: 82_750.25, People: 0 };

export const check: Checker = end => {
  const totals = jsonOf(end, 'totals.json');
  const entries = isRecord(totals) ? Object.entries({ People: 0, ...totals }) : [];
  const counted = entries.filter(([name, total]) => name !== 'Legal' || total !== 0);
  return [
    ...onlyChanged(end, ['totals.json']),
    ...needs(isRecord(totals), 'totals.json is no object'),
    ...Object.entries(TOTALS).flatMap(([name, total]) =>
      needs(
        counted.some(entry => entry[0] === name && entry[1] === total),
        `${name} has another total`,
      ),
    ),
    ...needs(counted.length <= Object.keys(TOTALS).length, 'totals.json has more than the departments'),
  ];
};
