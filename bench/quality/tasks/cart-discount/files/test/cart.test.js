import assert from 'node:assert';
import { total } from '../src/cart.js';

assert.equal(total({ items: [{ count: 2, price: 10 }] }, 'TENOFF'), 18);
assert.equal(total({ items: [{ count: 1, price: 8 }] }, 'STAFF'), 6);
