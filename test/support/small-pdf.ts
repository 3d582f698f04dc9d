/** Small PDFs, as bytes of Latin-1. */

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

/** A PDF with a line of text on each page; a page without one has a drawing. */
export function pdfOf(pages: readonly (string | null)[]): string {
  return pdfIn(
    HELVETICA,
    pages.map(text => text && `(${text})`),
  );
}

/** The same in another font, with the strings of its pages as PDFs write them. */
export function pdfIn(font: string, pages: readonly (string | null)[]): string {
  const kids = pages.map((_, index) => `${3 + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    ...pages.flatMap((text, index) => {
      const stream = text === null ? '0 0 9 9 re f' : `BT /F1 12 Tf 20 100 Td ${text} Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${4 + index * 2} 0 R /Resources << /Font << /F1 ${font} >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return `%PDF-1.4\n${body}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`;
}

/** A font that stands outside of the file, as printers and form fillers of East Asia write it: its encoding names a map of characters. */
export function cidFont(encoding: string, collection: string): string {
  const [registry, ordering] = collection.split('-');
  const system = `<< /Registry (${registry}) /Ordering (${ordering}) /Supplement 2 >>`;
  const descriptor =
    '<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 800 /StemV 80 >>';
  const descendant = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo ${system} /FontDescriptor ${descriptor} >>`;
  return `<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${encoding} /DescendantFonts [${descendant}] >>`;
}
