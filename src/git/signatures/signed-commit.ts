/** A commit split into the signed payload and the signature. Bytes, because the encoding is unknown. */
export interface SignedCommit {
  /** The commit without its signature headers: the bytes that were signed. */
  payload: Buffer;
  /** The armored signature, without the leading spaces of continuation lines. */
  signature: Buffer;
}

/** Undefined for an unsigned commit. */
export function splitSignature(content: Buffer): SignedCommit | undefined {
  const kept: Buffer[] = [];
  const armor: Buffer[] = [];
  let inside: 'gpgsig' | 'other' | undefined;
  let at = 0;
  // Only header lines: the message may contain anything.
  while (at < content.length && content[at] !== 0x0a) {
    const next = content.indexOf(0x0a, at);
    const end = next < 0 ? content.length : next + 1;
    const line = content.subarray(at, end);
    if (line[0] !== 0x20) inside = undefined;
    if (startsWith(line, 'gpgsig ')) inside = 'gpgsig';
    // The signature for SHA-256 repositories: not verified here, and never part of the payload.
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

/** The text between the armor lines; undefined unless `armor` is exactly one armor of this name. */
export function armorBody(armor: string, name: string): string | undefined {
  const begin = `-----BEGIN ${name}-----`;
  const end = `-----END ${name}-----`;
  const trimmed = armor.trimEnd();
  if (!trimmed.startsWith(`${begin}\n`) && !trimmed.startsWith(`${begin}\r\n`)) return undefined;
  const body = trimmed.slice(begin.length, -end.length);
  return trimmed.endsWith(end) && /\n$/.test(body) && !body.includes('-----') ? body : undefined;
}
