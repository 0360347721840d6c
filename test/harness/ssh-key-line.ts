/** A public key as OpenSSH writes it: its kind, and the kind and the fields with their lengths. */
export const sshKeyLine = (kind: string, ...fields: (Buffer | string)[]): string =>
  `${kind} ${Buffer.concat([kind, ...fields].map(withLength)).toString('base64')}`;

function withLength(field: Buffer | string): Buffer {
  const content = Buffer.from(field as Buffer);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}
