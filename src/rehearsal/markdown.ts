/** Small pieces of Markdown for answers. */

export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const align = head.map((_, column) =>
    rows.every(row => typeof row[column] === 'number') ? '---:' : '---',
  );
  const cell = (value: string | number) => String(value).replace(/\s+/g, ' ').replaceAll('|', '\\|');
  return [head, align, ...rows].map(row => `| ${row.map(cell).join(' | ')} |`).join('\n');
}

/** Text from a file as inline code: one line, cut, and never ending the code itself. */
export function code(text: string, most = 120): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const cut = flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
  const fence = cut.includes('`') ? '``' : '`';
  const pad = cut.startsWith('`') || cut.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${cut}${pad}${fence}`;
}

/** Text from a file as a quotation. */
export function quote(text: string, most = 1200): string {
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return cut.replace(/^/gm, '> ');
}

/** `12.3 KB`, as file listings say it. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const unit = bytes < 1024 ** 2 ? 'KB' : 'MB';
  return `${(bytes / (unit === 'KB' ? 1024 : 1024 ** 2)).toFixed(1)} ${unit}`;
}

/** `1 file`, `2 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
