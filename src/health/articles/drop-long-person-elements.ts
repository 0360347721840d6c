// feedsmith 3.0.1 searches for brackets in RSS persons in quadratic time: 100,000 of `(` took 50 s. The author list of
// a paper is shorter than this.
const maxPersonLength = 2_000;

/** Removes RSS person elements that are longer than that or are not closed. */
export function dropLongPersonElements(document: string): string {
  const start = /<(author|managingeditor|webmaster)\b[^<>]*>/gi;
  const endless = new Set<string>();
  const kept: string[] = [];
  let from = 0;
  for (let tag = start.exec(document); tag; tag = start.exec(document)) {
    const name = tag[1] ?? '';
    // recheck-ignore: linear, because the blanks behind one name are passed once
    const end = new RegExp(`</${name}\\s*>`, 'gi');
    end.lastIndex = start.lastIndex;
    // An element without an end tag: without its start tag it is text between elements, which is ignored.
    const stop = !endless.has(name) && end.test(document) ? end.lastIndex : start.lastIndex;
    if (stop === start.lastIndex) endless.add(name);
    if (stop - start.lastIndex > maxPersonLength || stop === start.lastIndex) {
      kept.push(document.slice(from, tag.index));
      from = stop;
      start.lastIndex = stop;
    }
  }
  return from === 0 ? document : kept.join('') + document.slice(from);
}
