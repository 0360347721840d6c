import { checkPrimeSync, createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';

const exponent = 65_537n;

/**
 * Derives a 2,048-bit RSA key from a secret, so that the demo data needs no stored private key. Searches two primes
 * upwards from HKDF output, which takes some 0.2 s.
 */
export function deriveRsaKey(secret: Uint8Array, purpose: string): KeyObject {
  const [p, q] = [derivePrime(secret, `${purpose} p`), derivePrime(secret, `${purpose} q`)];
  const n = p * q;
  const d = modularInverse(exponent, (p - 1n) * (q - 1n));
  const part = (value: bigint): string => Buffer.from(evenHex(value), 'hex').toString('base64url');
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'RSA',
      n: part(n),
      e: part(exponent),
      d: part(d),
      p: part(p),
      q: part(q),
      dp: part(d % (p - 1n)),
      dq: part(d % (q - 1n)),
      qi: part(modularInverse(q, p)),
    },
  });
}

function derivePrime(secret: Uint8Array, purpose: string): bigint {
  const bytes = Buffer.from(hkdfSync('sha256', secret, 'demo', purpose, 128));
  // Sets the two highest bits, so that the product has 2,048 bits, and the lowest, because primes are odd.
  bytes[0] = (bytes[0] ?? 0) | 0xc0;
  bytes[127] = (bytes[127] ?? 0) | 1;
  let candidate = BigInt(`0x${bytes.toString('hex')}`);
  while ((candidate - 1n) % exponent === 0n || !checkPrimeSync(candidate)) candidate += 2n;
  return candidate;
}

/** Inverse of `value` modulo `modulus` (extended Euclidean algorithm). */
function modularInverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = a / b;
    [a, b] = [b, a % b];
    [x, y] = [y, x - quotient * y];
  }
  return ((x % modulus) + modulus) % modulus;
}

function evenHex(value: bigint): string {
  const text = value.toString(16);
  return text.length % 2 === 0 ? text : `0${text}`;
}
