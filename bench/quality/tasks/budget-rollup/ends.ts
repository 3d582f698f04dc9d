import type { Ends } from '../../ends.js';

const totals = (given: object) => ({ files: { 'totals.json': JSON.stringify(given) } });

export const ends: Ends = {
  right: [
    totals({ Engineering: 201500.5, Sales: 82750.25, People: 0 }),
    totals({ Sales: 82750.25, Legal: 0, Engineering: 201500.5 }),
  ],
  wrong: {
    'totals.json is no object': { files: { 'totals.json': 'Engineering: 201500.5' } },
    'Engineering has another total': totals({ Engineering: 210500.5, Sales: 82750.25 }),
    'Sales has another total': totals({ Engineering: 201500.5, Sales: '82750.25' }),
    'totals.json has more than the departments': totals({
      Engineering: 201500.5,
      Sales: 82750.25,
      People: 0,
      Legal: 30000,
    }),
  },
};
