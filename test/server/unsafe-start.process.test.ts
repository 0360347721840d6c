import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { testDatabase } from '../harness/gateway.ts';
import { Program } from '../harness/program.ts';

const DATABASE_URL = await testDatabase('demo');

// A busy machine takes ten seconds to load the program.
jest.setTimeout(120_000);

const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map(program => program.remove()));
});
function start(settings: Record<string, string>): Program {
  const program = new Program(settings);
  programs.push(program);
  return program;
}

/** The reasons for which a start with these settings is refused; empty if it is allowed. */
function refusalReasons(settings: Record<string, string>): string[] {
  try {
    readConfig(settings, 'serve');
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map(line => line.split(' ')[0] ?? '');
  }
}

const BASE_URL = 'https://portico.example.org';

describe('a gateway does not start', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1', '10.0.0.1', '128.0.0.1', '::ffff:192.0.2.1', 'fe80::1%eth0'])(
    'on %s without BASE_URL and a decision about the demo data',
    HOST => {
      expect(refusalReasons({ HOST })).toEqual(['BASE_URL', 'SEED']);
      expect(refusalReasons({ HOST, BASE_URL })).toEqual(['SEED']);
      expect(refusalReasons({ HOST, SEED: 'none' })).toEqual(['BASE_URL']);
      expect(refusalReasons({ HOST, SEED: ' ', BASE_URL: ' ' })).toEqual(['BASE_URL', 'SEED']);
      expect(refusalReasons({ HOST, BASE_URL, SEED: 'demo' })).toEqual([]);
      expect(refusalReasons({ HOST, BASE_URL, SEED: 'none' })).toEqual([]);
    },
  );

  test('with SMTP_URL and without BASE_URL', () => {
    const SMTP_URL = 'smtp://mail.example.org';
    expect(refusalReasons({ SMTP_URL })).toEqual(['BASE_URL']);
    expect(refusalReasons({ SMTP_URL, BASE_URL })).toEqual([]);
  });

  test('and reports all reasons at once, and an invalid setting only as invalid', () => {
    expect(refusalReasons({ HOST: '0.0.0.0', PORT: 'x' })).toEqual(['PORT', 'BASE_URL', 'SEED']);
    expect(refusalReasons({ HOST: '0.0.0.0', BASE_URL: 'portico', SEED: 'demo' })).toEqual(['BASE_URL']);
  });
});

describe('a gateway starts', () => {
  test.each(['127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])(
    'on the loopback address %s without further settings',
    HOST => {
      expect(refusalReasons({ HOST })).toEqual([]);
    },
  );

  test('without the demo world where BASE_URL is public, unless SEED asks for it', () => {
    expect(readConfig({ BASE_URL }, 'serve').SEED).toBe('none');
    expect(readConfig({ BASE_URL, SEED: 'demo' }, 'serve').SEED).toBe('demo');
    expect(readConfig({ BASE_URL: 'http://127.0.0.1:4000' }, 'serve').SEED).toBe('demo');
    expect(readConfig({ BASE_URL: 'http://localhost:4000' }, 'serve').SEED).toBe('demo');
  });

  test('without any settings', () => {
    expect(refusalReasons({})).toEqual([]);
  });

  test('with any settings, if it is a command', () => {
    expect(readConfig({ HOST: '0.0.0.0', SMTP_URL: 'smtp://mail.example.org' }).HOST).toBe('0.0.0.0');
  });
});

test('the program reports the reasons and exits with 1 before it creates anything', async () => {
  const program = start({ HOST: '0.0.0.0', SMTP_URL: 'smtp://name:s3cr3t@mail.example.org' });
  expect(await program.ended()).toBe(1);
  expect(program.errors).toBe(
    'BASE_URL must be set, because HOST=0.0.0.0 lets other machines in: set it to the public address of the gateway, such as https://portico.example.org.\n' +
      'SEED must be set, because HOST=0.0.0.0 lets other machines in: SEED=none starts empty, SEED=demo plants the demo world for everyone who can reach it.\n',
  );
  // Nothing but the first step of the start is reported.
  expect(program.output.trim()).toBe('Starting…');
});

test('the program starts for other machines with the required settings and prints its public origin', async () => {
  const program = start({ DATABASE_URL, HOST: '0.0.0.0', BASE_URL, SEED: 'demo' });
  await program.printed(/https:\/\/portico\.example\.org\/api\/v1/);
  program.signal('SIGTERM');
  expect(await program.ended()).toBe(0);
});

test('a command works with settings that a gateway refuses', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'portico-command-'));
  try {
    writeFileSync(join(cwd, '.env'), 'HOST=0.0.0.0\nSMTP_URL=smtp://mail.example.org\n');
    const script = join(import.meta.dirname, '..', '..', 'scripts', 'portico.ts');
    // biome-ignore lint/style/noProcessEnv: a child needs the path of this process.
    const env = { PATH: process.env.PATH ?? '' };
    const { status, stdout } = spawnSync(process.execPath, [script, 'ads', '--help'], { cwd, env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('Ads of the health product') });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});
