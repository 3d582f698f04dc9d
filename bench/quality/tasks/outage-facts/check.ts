import { isRecord } from '../../../../src/base/json/json.js';
import { type Checker, jsonOf, needs, onlyChanged } from '../../check.js';

export const check: Checker = end => {
  const facts = jsonOf(end, 'facts.json');
  const { begin, end: ended, approvedBy } = isRecord(facts) ? facts : {};
  return [
    ...onlyChanged(end, ['facts.json']),
    ...needs(begin === '09:42', 'facts.json has another begin'),
    ...needs(ended === '11:12', 'facts.json has another end'),
    ...needs(approvedBy === 'Priya', 'facts.json names somebody else'),
  ];
};
