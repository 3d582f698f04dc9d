import assert from 'node:assert';
import { calcTotal, recalcTotal } from '../src/index.js';

const order = { lines: [{ article: 'apple', count: 5 }] };
assert.equal(calcTotal(order), 2);
assert.equal(recalcTotal(order).total, calcTotal(order));
