/** A commit taken apart into what was signed and the signature. Bytes, as nobody promises an encoding. */
export interface SignedCommit {
  /** The commit without the header that signs it: what the signature is of. */
  payload: Buffer;
  /** The armor, without the blanks that continue its lines. */
  signature: Buffer;
}

/** Undefined for a commit that nobody signed. */
export function splitSignature(content: Buffer): SignedCommit | undefined {
  const kept: Buffer[] = [];
  const armor: Buffer[] = [];
  let inside: 'gpgsig' | 'other' | undefined;
  let at = 0;
  // Lines of the headers alone: a message may say whatever it likes.
  while (at < content.length && content[at] !== 0x0a) {
    const next = content.indexOf(0x0a, at);
    const end = next < 0 ? content.length : next + 1;
    const line = content.subarray(at, end);
    if (line[0] !== 0x20) inside = undefined;
    if (startsWith(line, 'gpgsig ')) inside = 'gpgsig';
    // The signature for repositories of the other hash: not ours to check, and never part of what was signed.
    else if (startsWith(line, 'gpgsig-sha256 ')) inside = 'other';
    if (inside === undefined) kept.push(line);
    else if (inside === 'gpgsig') armor.push(line.subarray(line[0] === 0x20 ? 1 : 7));
    at = end;
  }
  if (armor.length === 0) return undefined;
  const signature = Buffer.concat(armor);
  // The last line feed ends the header.
  return { payload: Buffer.concat([...kept, content.subarray(at)]), signature: signature.subarray(0, -1) };
}

function startsWith(line: Buffer, word: string): boolean {
  return line.toString('latin1', 0, word.length) === word;
}

/** What stands between the lines of an armor of this name, when there is one armor and nothing else. */
export function armorBody(armor: string, name: string): string | undefined {
  const begin = `-----BEGIN ${name}-----`;
  const end = `-----END ${name}-----`;
  const trimmed = armor.trimEnd();
  if (!trimmed.startsWith(`${begin}\n`) && !trimmed.startsWith(`${begin}\r\n`)) return undefined;
  const body = trimmed.slice(begin.length, -end.length);
  return trimmed.endsWith(end) && /\n$/.test(body) && !body.includes('-----') ? body : undefined;
}
