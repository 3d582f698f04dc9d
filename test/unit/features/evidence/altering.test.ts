import { expect, test } from 'vitest';
import { mayAlter, testsThenAlters } from '../../../../src/features/evidence/altering.js';

const STILL = [
  'npm test',
  'npm t',
  'CI=1 npm run test:unit -- --run',
  'npm run build',
  'cd app && npm test 2>&1 | tail -20',
  'npx vitest run',
  'pnpm lint',
  'node --test',
  'node test/add.test.js',
  'python3 -m pytest -q',
  'uv run pytest',
  'cargo test --all',
  'go vet ./...',
  'make test lint',
  './scripts/check.sh',
  'bash -c "npm test"',
  'bash -o pipefail -c "npm test | tail -3"',
  'tsc --noEmit',
  'prettier --check .',
  'eslint src',
  'git status --short',
  'git add -A && git commit -m "Mend it"',
  'git diff | head -50',
  'grep -rn TODO src',
  'ls -la > /dev/null',
  "sed -n '1,20p' a.txt",
  "find . -name '*.ts' -exec wc -l {} +",
  'git ls-files | xargs wc -l',
  `python3 -c "print(open('a.txt').read())"`,
  `node -e "require('./add.js')"`,
  'echo "$(git log -1)"',
  `perl -Mstrict -e 'print "ok"'`,
  "ruby -rfileutils -e 'puts 1'",
  "awk '$1 > 5 { print $2 }' a.txt",
];

const ALTERS = [
  'npm install',
  'npm run format',
  'npm run lint:fix',
  'npx eslint --fix src',
  'npx biome check --write .',
  'prettier .',
  'black src',
  'node build-site.mjs',
  'python3 fix.py',
  './deploy.sh',
  'make',
  'make test install',
  "sed -i 's/a/b/' a.txt",
  "perl -pi -e 's/a/b/' a.txt",
  "ruby -pi -e '$_.upcase!' a.txt",
  "yq -i '.a = 1' a.yaml",
  'find . -fprint a.txt',
  `awk '{ print $1 > "a.txt" }' b.txt`,
  'xxd -r a.hex a.bin',
  'echo done > out.txt',
  'npm test > out.txt',
  'npm test; rm -rf dist',
  'mv a.txt b.txt',
  'cp a b && npm test',
  'git checkout -- src',
  'git stash',
  'find . -name "*.bak" -delete',
  "find . -exec sed -i 's/a/b/' {} \\;",
  'git ls-files | xargs rm',
  'bash -c "rm a.txt"',
  "bash <<'END'\nrm a.txt\nEND",
  `python3 -c "open('a.txt', 'w').write('x')"`,
  `node -e "require('fs').writeFileSync('a.txt', 'x')"`,
  'echo "$(rm a.txt)"',
  'for f in *; do rm $f; done',
  'source setup.sh',
  '"npm test',
  'constructor x',
];

test.each(STILL)('%j → nothing but a look, a test or a build (SE1)', line => {
  expect(mayAlter(line)).toBe(false);
});

test.each(ALTERS)('%j → it may change files (SE1)', line => {
  expect(mayAlter(line)).toBe(true);
});

test.each<[string, boolean]>([
  ['git stash && npm test && git stash pop', true],
  ['npm test; git checkout -- src', true],
  ["sh test.sh && sed -i 's/1/2/' a.txt", true],
  ['npx vitest run && npx eslint --fix src', true],
  ['bash -c "pytest && git stash pop"', true],
  // Changes before it, copies of what it wrote, and looks.
  ['git stash pop && npm test', false],
  ["sed -i 's/1/2/' a.txt && npm test", false],
  ['npm test && git add -A && git commit -m x', false],
  ['npm test && npm publish', false],
  ['pytest && rm -rf .cache', false],
  ['npm test | tee out.txt', false],
  ["test -f a.txt && sed -i 's/1/2/' a.txt", false],
  ["grep -n a a.txt && sed -i 's/a/b/' a.txt", false],
  ['"npm test', false],
])('%j → it tests and then changes what it tested: %s (SE1)', (line, expected) => {
  expect(testsThenAlters(line)).toBe(expected);
});
