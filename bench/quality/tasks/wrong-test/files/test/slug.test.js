import assert from 'node:assert';
import { slug } from '../src/slug.js';

assert.equal(slug('Hello, World!'), 'hello_world');
assert.equal(slug('  A  B  '), 'a-b');
assert.equal(slug('one two three four five'), 'one-two-three-four');
