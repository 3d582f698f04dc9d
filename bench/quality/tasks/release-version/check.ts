import { type Checker, hasText, needs, onlyChanged } from '../../check.js';

export const check: Checker = end => {
  const { before, after } = end;
  const log = after['CHANGELOG.md'] ?? '';
  const [head, ...rest] = log.split(/^(?=## )/m);
  const [head0, ...old] = before['CHANGELOG.md']?.split(/^(?=## )/m) ?? [];
  const readme = before['README.md']
    ?.replace('acme-export 1.4.2', 'acme-export 1.5.0')
    .replace('acme-export@1.4.2', 'acme-export@1.5.0');
  return [
    ...onlyChanged(end, ['package.json', 'VERSION', 'src/version.py', 'README.md', 'CHANGELOG.md']),
    ...hasText(
      end,
      'package.json',
      before['package.json']?.replace('"version": "1.4.2"', '"version": "1.5.0"') ?? '',
    ),
    ...hasText(end, 'VERSION', '1.5.0'),
    ...hasText(end, 'src/version.py', 'VERSION = (1, 5, 0)\nUSER_AGENT = "acme-export/1.5.0"'),
    ...hasText(end, 'README.md', readme ?? ''),
    ...needs(
      /^## 1\.5\.0\s+- Adds the flag `?--json`?\.\s*$/.test(rest[0] ?? ''),
      'CHANGELOG.md does not begin with 1.5.0',
    ),
    ...needs(head === head0 && rest.slice(1).join('') === old.join(''), 'the old changelog is not as it was'),
  ];
};
