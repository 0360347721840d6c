type PictureFormat = 'jpeg' | 'png' | 'webp';

/** `unknown`: no picture of these formats. `corrupt`: its container cannot be read. */
type PictureFile = { format: PictureFormat; bytes: Buffer } | { format: 'unknown' | 'corrupt' };

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const jpegSignature = Buffer.from([0xff, 0xd8, 0xff]);

/**
 * The chunks of a PNG that decide its pixels and orientation. The decoder inflates each of the others to up to 60 MB: 60 `zTXt` chunks
 * of 49 KB took 10 s of CPU, half of them when only the size was asked for. An animation (APNG) keeps its first picture.
 */
const pngChunks: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'IDAT', 'IEND']);
/** Chunks that are kept if they are small: the color profile, of which there is one, and Exif data. */
const smallPngChunks: ReadonlySet<string> = new Set(['iCCP', 'eXIf']);
const maxSmallChunkBytes = 64 * 1024;
/** A picture of 5 MB in chunks of 4 KB has 1,280. */
const maxPngChunks = 10_000;

/**
 * Scans of a progressive JPEG, each of which passes over all coefficients: 50 ms at 49 megapixels. The script of libjpeg has 10, those
 * of optimizers up to 20; the format allows thousands.
 */
const maxJpegScans = 32;
const startOfScan = Buffer.from([0xff, 0xda]);

/**
 * Finds the format by the first bytes, and makes the work of a decoder proportional to the pixels. libvips has dozens of decoders;
 * only files with these three signatures get to one.
 */
export function readPictureFile(bytes: Buffer): PictureFile {
  if (startsWith(bytes, jpegSignature)) return hasFewScans(bytes) ? { format: 'jpeg', bytes } : { format: 'corrupt' };
  if (startsWith(bytes, pngSignature)) {
    const essential = essentialPng(bytes);
    return essential ? { format: 'png', bytes: essential } : { format: 'corrupt' };
  }
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isWebp ? { format: 'webp', bytes } : { format: 'unknown' };
}

const startsWith = (bytes: Buffer, signature: Buffer): boolean => bytes.subarray(0, signature.length).equals(signature);

function hasFewScans(bytes: Buffer): boolean {
  let scans = 0;
  // Entropy-coded data has no such pair of bytes. A thumbnail in Exif data may add one or two.
  for (let at = bytes.indexOf(startOfScan); at >= 0; at = bytes.indexOf(startOfScan, at + 2)) {
    if (++scans > maxJpegScans) return false;
  }
  return true;
}

/** The PNG without chunks that do not matter; undefined if its chunks are too many or end beyond its end. */
function essentialPng(bytes: Buffer): Buffer | undefined {
  const kept = [bytes.subarray(0, 8)];
  const seen = new Set<string>();
  let at = 8;
  for (let chunks = 0; at + 12 <= bytes.length; chunks++) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    if (chunks > maxPngChunks || end > bytes.length) return undefined;
    const isSmall = smallPngChunks.has(type) && length <= maxSmallChunkBytes && !seen.has(type);
    if (isSmall || pngChunks.has(type)) kept.push(bytes.subarray(at, end));
    seen.add(type);
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
  return undefined;
}
