/** The xml:base of each `<link>` of an Atom document becomes part of its address, because feedsmith does not read it. */
export function resolveLinkBases(document: string): string {
  if (!document.includes('xml:base')) return document;
  return document.replace(/<(?:[\w.-]{1,50}:)?link\b[^<>]*>/gi, tag => {
    const base = attribute(tag, 'xml:base');
    const href = attribute(tag, 'href');
    if (base === null || href === null) return tag;
    const joined = joinReference(base, href).replace(/"/g, '%22');
    return tag.replace(/(?<=\shref\s{0,9}=\s{0,9})(?:"[^"]*"|'[^']*')/i, () => `"${joined}"`);
  });
}

function attribute(tag: string, name: string): string | null {
  // recheck-ignore: linear, because the name is fixed and the quotes end the value
  const found = new RegExp(`\\s${name}\\s{0,9}=\\s{0,9}(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag);
  return found ? (found[1] ?? found[2] ?? '').trim() : null;
}

/** A reference that means from outside what `reference` means inside `base`; both may be relative. */
function joinReference(base: string, reference: string): string {
  if (URL.canParse(reference)) return reference;
  if (URL.canParse(base)) return URL.parse(reference, base)?.href ?? reference;
  if (reference === '') return base;
  if (reference.startsWith('/')) return reference;
  const [path = ''] = base.split(/[?#]/, 1);
  return /^[?#]/.test(reference) ? path + reference : path.slice(0, path.lastIndexOf('/') + 1) + reference;
}
