import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createMessage, enums, generateKey, type PrivateKey, readSignature, sign as signPgp } from 'openpgp';
import { encodeCommit } from '../../src/git/commit.ts';
import { hashObject } from '../../src/git/object.ts';
import { parsePgpKey } from '../../src/git/signatures/pgp-signature.ts';
import { SignatureVerifier } from '../../src/git/signatures/signature-verifier.ts';
import { splitSignature } from '../../src/git/signatures/signed-commit.ts';
import {
  type KnownKey,
  parseSignerIdentity,
  type VerificationInput,
  verifyCommit,
} from '../../src/git/signatures/verify-commit.ts';
import { author, folder, SystemGit } from './worlds.ts';

const now = new Date('2026-11-01T12:00:00Z');
const signedAt = new Date('2026-10-01T12:00:00Z');
const email = author.email;
const commit = {
  tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  parents: ['ab'.repeat(20)],
  author,
  committer: author,
  message: 'Grüße\n\ngpgsig is a word too\n',
};
const payload = encodeCommit(commit);
const signed = (signature: string): Buffer => encodeCommit({ ...commit, signature });
const emails = [{ email: email.toUpperCase(), isVerified: true, accountId: 7 }];

interface PgpSetup {
  identity?: string;
  /** Seconds after the creation of the key. */
  expiresAfter?: number;
}

const born = new Date('2026-01-01T00:00:00Z');

async function pgpKey({
  identity = email,
  expiresAfter = 0,
}: PgpSetup = {}): Promise<{ secret: PrivateKey; known: KnownKey }> {
  const made = await generateKey({
    userIDs: [{ name: 'A U Thor', email: identity }],
    date: born,
    keyExpirationTime: expiresAfter,
    format: 'object',
  });
  return { secret: made.privateKey, known: await knownOf(made.publicKey.armor()) };
}

async function knownOf(armored: string): Promise<KnownKey> {
  return { kind: 'pgp', armored, keyIds: (await parsePgpKey(armored)).keyIds, accountId: 7 };
}

async function pgpSignature(secret: PrivateKey, bytes: Buffer = payload): Promise<string> {
  const message = await createMessage({ binary: new Uint8Array(bytes) });
  return signPgp({ message, signingKeys: secret, detached: true, date: signedAt, format: 'armored' });
}

const reason = async (content: Buffer, knowledge: Partial<VerificationInput>): Promise<string> =>
  (await verifyCommit(content, 'commit', { keys: [], emails, now, ...knowledge })).reason;

/** Without gpg there is nothing to compare with. */
const has = (program: string): boolean => spawnSync(program, ['--help']).error === undefined;
const withGpg = has('gpg') ? test : test.skip;
const withSshKeygen = has('ssh-keygen') ? describe : describe.skip;

describe('PGP', () => {
  test('valid, with the signed bytes and the original armor', async () => {
    const { secret, known } = await pgpKey();
    const signature = await pgpSignature(secret);
    const content = signed(signature);
    expect(await verifyCommit(content, 'commit', { keys: [known], emails, now })).toEqual({
      reason: 'valid',
      signature,
      payload: payload.toString(),
    });
    const claim = await parseSignerIdentity(content, 'commit');
    expect(claim?.committerEmail).toBe(email);
    expect(known.kind === 'pgp' && known.keyIds).toContain(claim?.pgpKeyId);
  });

  test('unsigned, unknown_signature_type and malformed_signature', async () => {
    const { secret, known } = await pgpKey();
    const good = await pgpSignature(secret);
    expect(await verifyCommit(payload, 'commit', { keys: [known], emails, now })).toEqual({
      reason: 'unsigned',
      signature: null,
      payload: null,
    });
    for (const strange of ['hello', '-----BEGIN SIGNED MESSAGE-----\nMII\n-----END SIGNED MESSAGE-----\n']) {
      expect(await reason(signed(strange), { keys: [known] })).toBe('unknown_signature_type');
    }
    const broken = [
      `${good}garbage`,
      `${good}${good}`,
      good.replace(/\n\n[\s\S]{40}/, '\n\n'),
      '-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n',
      '-----BEGIN PGP SIGNATURE-----',
      '-----BEGIN PGP MESSAGE-----\n\nAAAA\n-----END PGP MESSAGE-----\n',
    ];
    for (const bad of broken)
      expect([bad, await reason(signed(bad), { keys: [known] })]).toEqual([bad, 'malformed_signature']);
  });

  test('unknown_key, invalid and expired_key', async () => {
    const [mine, other] = [await pgpKey(), await pgpKey()];
    expect(await reason(signed(await pgpSignature(mine.secret)), { keys: [other.known] })).toBe('unknown_key');
    const elsewhere = await pgpSignature(mine.secret, Buffer.from(`${payload}.`));
    expect(await reason(signed(elsewhere), { keys: [mine.known] })).toBe('invalid');
    // Valid when it was made; the key has expired since.
    const year = 300 * 86_400;
    const old = await pgpKey({ expiresAfter: year });
    const content = signed(await pgpSignature(old.secret));
    expect(await reason(content, { keys: [old.known] })).toBe('expired_key');
    expect(await reason(content, { keys: [old.known], now: new Date(born.getTime() + (year - 1) * 1000) })).toBe(
      'valid',
    );
    const revoked = await mine.secret.revoke({ flag: enums.reasonForRevocation.keyCompromised }, signedAt);
    const keys = [await knownOf(revoked.toPublic().armor())];
    expect(await reason(signed(await pgpSignature(mine.secret)), { keys })).toBe('expired_key');
  });

  test('not_signing_key: an encryption-only subkey', async () => {
    const made = await generateKey({
      userIDs: [{ name: 'A U Thor', email }],
      date: born,
      type: 'rsa',
      rsaBits: 2048,
      subkeys: [{}],
      format: 'object',
    });
    const [subkey] = made.privateKey.subkeys;
    const signature = await pgpSignature(made.privateKey);
    // The same signature with the subkey as issuer: the key flags are checked before the signature.
    const packet = await readSignature({ armoredSignature: signature });
    const bytes = Buffer.from(packet.write() as Uint8Array);
    const [from, to] = [made.privateKey.getKeyID().toHex(), subkey?.getKeyID().toHex() ?? ''];
    const moved = Buffer.from(bytes.toString('hex').replaceAll(from, to), 'hex');
    const armored = (await readSignature({ binarySignature: new Uint8Array(moved) })).armor();
    expect(await reason(signed(armored), { keys: [await knownOf(made.publicKey.armor())] })).toBe('not_signing_key');
  });

  test('no_user, unverified_email and bad_email', async () => {
    const { secret, known } = await pgpKey();
    const content = signed(await pgpSignature(secret));
    const judged = (others: VerificationInput['emails']): Promise<string> =>
      reason(content, { keys: [known], emails: others });
    expect(await judged([])).toBe('no_user');
    expect(await judged([{ email, isVerified: false, accountId: 7 }])).toBe('unverified_email');
    expect(await judged([{ email, isVerified: true, accountId: 8 }])).toBe('bad_email');
    const elsewhere = await pgpKey({ identity: 'other@example.org' });
    expect(await reason(signed(await pgpSignature(elsewhere.secret)), { keys: [elsewhere.known] })).toBe('bad_email');
  });

  test('gpgverify_error: a registered key that cannot be read', async () => {
    const { secret, known } = await pgpKey();
    const keys = [{ ...known, armored: 'not a key' } as KnownKey];
    expect(await reason(signed(await pgpSignature(secret)), { keys })).toBe('gpgverify_error');
  });

  test('gpgverify_unavailable: too many at once, or too slow; the others are verified', async () => {
    const { secret, known } = await pgpKey();
    const content = signed(await pgpSignature(secret));
    const knowledge = { keys: [known], emails, now };
    const desk = new SignatureVerifier({ maxPending: 3, waitTimeoutMs: 10_000 });
    const reasons = await Promise.all(Array.from({ length: 8 }, () => desk.verify(content, 'commit', knowledge)));
    expect(reasons.map(one => one.reason).sort()).toEqual([
      ...Array(5).fill('gpgverify_unavailable'),
      'valid',
      'valid',
      'valid',
    ]);
    expect((await desk.verify(content, 'commit', knowledge)).reason).toBe('valid');
    // They run one after the other: the last of many waits longer than a millisecond.
    const slow = new SignatureVerifier({ maxPending: 100, waitTimeoutMs: 1 });
    const late = await Promise.all(Array.from({ length: 100 }, () => slow.verify(content, 'commit', knowledge)));
    expect(late.at(-1)?.reason).toBe('gpgverify_unavailable');
  });

  test('a verdict is kept until keys, addresses or ten minutes have changed; «unavailable» is not', async () => {
    const { secret, known } = await pgpKey();
    const content = signed(await pgpSignature(secret));
    const knowledge = { keys: [known], emails, now };
    const desk = new SignatureVerifier({ maxPending: 1, waitTimeoutMs: 10_000 });
    const reasonsOf = async (input: VerificationInput): Promise<string[]> =>
      (await Promise.all([1, 2].map(() => desk.verify(content, 'commit', input)))).map(one => one.reason);
    expect(await reasonsOf(knowledge)).toEqual(['valid', 'gpgverify_unavailable']);
    expect(await reasonsOf(knowledge)).toEqual(['valid', 'valid']);
    const later = new Date(now.getTime() + 10 * 60_000);
    for (const changed of [{ keys: [] }, { emails: [] }, { now: later }]) {
      expect((await reasonsOf({ ...knowledge, ...changed }))[1]).toBe('gpgverify_unavailable');
    }
  });

  withGpg('the same verdict as git verify-commit', async () => {
    const home = folder();
    const env = { GNUPGHOME: home };
    const git = SystemGit.create();
    const { secret, known } = await pgpKey();
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', '--import'], {
      input: known.kind === 'pgp' ? known.armored : '',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    for (const bytes of [payload, Buffer.from('something else')]) {
      const content = signed(await pgpSignature(secret, bytes));
      const oid = git
        .bytes(['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], { input: content })
        .toString()
        .trim();
      expect(oid).toBe(hashObject('commit', content));
      const verdict = (): string => {
        try {
          git.bytes(['verify-commit', oid], { env });
          return 'valid';
        } catch {
          return 'invalid';
        }
      };
      expect(await reason(content, { keys: [known] })).toBe(verdict());
    }
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all'], { stdio: 'ignore' });
  });
});

withSshKeygen('SSH', () => {
  const home = folder();
  const make = (name: string, ...args: string[]): { path: string; known: KnownKey } => {
    const path = join(home, name);
    execFileSync('ssh-keygen', ['-q', '-N', '', '-C', 'someone', ...args, '-f', path]);
    return { path, known: { kind: 'ssh', line: readFileSync(`${path}.pub`, 'utf8'), accountId: 7 } };
  };
  const signature = (path: string, { namespace = 'git', bytes = payload, hash = 'sha512' } = {}): string => {
    const args = ['-Y', 'sign', '-n', namespace, '-O', `hashalg=${hash}`, '-f', path];
    return execFileSync('ssh-keygen', args, { input: bytes, stdio: ['pipe', 'pipe', 'ignore'] }).toString();
  };

  test.each([
    ['ed25519', ['-t', 'ed25519']],
    ['rsa', ['-t', 'rsa', '-b', '2048']],
    ['p256', ['-t', 'ecdsa', '-b', '256']],
    ['p384', ['-t', 'ecdsa', '-b', '384']],
    ['p521', ['-t', 'ecdsa', '-b', '521']],
  ])('%s: valid, and invalid for other bytes, as git verify-commit says', async (name, args) => {
    const { path, known } = make(name, ...args);
    const git = SystemGit.create();
    const signers = join(home, `${name}.signers`);
    writeFileSync(signers, `${email} ${known.kind === 'ssh' ? known.line : ''}`);
    for (const [bytes, hash] of [
      [payload, 'sha512'],
      [payload, 'sha256'],
      [Buffer.from('something else'), 'sha512'],
    ] as const) {
      const content = signed(signature(path, { bytes, hash }));
      const oid = git
        .bytes(['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], { input: content })
        .toString()
        .trim();
      const verdict = (): string => {
        try {
          git.run('-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', oid);
          return 'valid';
        } catch {
          return 'invalid';
        }
      };
      expect(await reason(content, { keys: [known] })).toBe(verdict());
      expect(await reason(content, { keys: [known] })).toBe(bytes === payload ? 'valid' : 'invalid');
    }
  });

  test('another namespace, an unknown key, garbage and a foreign email address', async () => {
    const { path, known } = make('one', '-t', 'ed25519');
    const other = make('other', '-t', 'ed25519');
    expect(await reason(signed(signature(path, { namespace: 'file' })), { keys: [known] })).toBe('invalid');
    const good = signature(path);
    expect(await reason(signed(good), { keys: [other.known] })).toBe('unknown_key');
    expect(await reason(signed(good), { keys: [known], emails: [] })).toBe('no_user');
    expect(await reason(signed(good), { keys: [known], emails: [{ email, isVerified: true, accountId: 8 }] })).toBe(
      'bad_email',
    );
    const body = Buffer.from(good.replace(/-----[^\n]*-----|\n/g, ''), 'base64');
    const armor = (bytes: Buffer): string =>
      `-----BEGIN SSH SIGNATURE-----\n${bytes.toString('base64')}\n-----END SSH SIGNATURE-----\n`;
    expect(await reason(signed(armor(body)), { keys: [known] })).toBe('valid');
    for (const bad of [
      `${good}x`,
      armor(Buffer.concat([body, Buffer.from('x')])),
      armor(body.subarray(0, -1)),
      armor(Buffer.from('SSHSIG')),
    ]) {
      expect(await reason(signed(bad), { keys: [known] })).toBe('malformed_signature');
    }
    expect((await parseSignerIdentity(signed(good), 'commit'))?.sshKey?.toString('base64')).toBe(
      known.kind === 'ssh' ? known.line.split(' ')[1] : '',
    );
  });

  test('security keys: valid when touched, invalid when not', async () => {
    const string = (bytes: Buffer | string): Buffer => {
      const content = Buffer.from(bytes as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(content.length);
      return Buffer.concat([length, content]);
    };
    const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
    const type = 'sk-ssh-ed25519@openssh.com';
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const key = Buffer.concat([string(type), string(raw), string('ssh:')]);
    const made = (flags: number): string => {
      const device = Buffer.from([flags, 0, 0, 0, 9]);
      const hashed = createHash('sha512').update(payload).digest();
      const inner = Buffer.concat([Buffer.from('SSHSIG'), string('git'), string(''), string('sha512'), string(hashed)]);
      const bytes = sign(null, Buffer.concat([sha256('ssh:'), device, sha256(inner)]), privateKey);
      const blob = Buffer.concat([string(type), string(bytes), device]);
      const version = Buffer.from([0, 0, 0, 1]);
      const all = Buffer.concat([
        Buffer.from('SSHSIG'),
        version,
        string(key),
        string('git'),
        string(''),
        string('sha512'),
        string(blob),
      ]);
      return `-----BEGIN SSH SIGNATURE-----\n${all.toString('base64')}\n-----END SSH SIGNATURE-----\n`;
    };
    const keys: KnownKey[] = [{ kind: 'ssh', line: `${type} ${key.toString('base64')} token`, accountId: 7 }];
    expect(await reason(signed(made(1)), { keys })).toBe('valid');
    expect(await reason(signed(made(0)), { keys })).toBe('invalid');
  });
});

test('a signature is removed byte for byte, at any position', () => {
  for (const armor of ['one line', 'two\nlines', 'ends in one\n', 'ends in two\n\n', '\nbegins so']) {
    const split = splitSignature(signed(armor));
    expect(split?.signature.toString()).toBe(armor);
    expect(split?.payload.equals(payload)).toBe(true);
  }
  const [headers = '', ...rest] = payload.toString().split('\n\n');
  const content = Buffer.from(
    [`${headers}\ngpgsig-sha256 other\n more\ngpgsig mine\n more\nx-more kept\n kept too`, ...rest].join('\n\n'),
  );
  const split = splitSignature(content);
  expect(split?.signature.toString()).toBe('mine\nmore');
  expect(split?.payload.toString()).toBe([`${headers}\nx-more kept\n kept too`, ...rest].join('\n\n'));
});
