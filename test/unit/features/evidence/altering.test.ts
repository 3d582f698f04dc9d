import { expect, test } from 'vitest';
import { mayAlter } from '../../../../src/features/evidence/altering.js';

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
