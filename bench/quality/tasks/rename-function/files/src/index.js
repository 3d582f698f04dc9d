export { calcTotal, recalcTotal } from './orders.js';
export { calcTotals, describe } from './report.js';
