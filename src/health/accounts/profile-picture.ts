import type { Metadata, ResizeOptions } from 'sharp';
import { serviceUnavailable } from '../../errors/errors.ts';
import { FairSlots } from '../../workers/fair-slots.ts';
import type { InputChecks } from '../input/input-checks.ts';
import { readPictureFile } from './picture-file.ts';

/** A file of a multipart form. */
export interface UploadedFile {
  mediaType: string;
  bytes: Buffer;
}

/**
 * Concurrent decodings. One takes up to 200 MB and a thread of the libuv pool, which password hashing and file access also need.
 * 50 that wait hold 250 MB of uploads.
 */
const decodingSlots = new FairSlots({
  size: 1,
  maxPerKey: 1,
  maxQueued: 50,
  maxQueuedPerKey: 2,
  fullError: () => serviceUnavailable({ reason: 'pictures' }, 'Too many pictures are being read. Try again.'),
});
/** Timeout of one encoding; 50 megapixels take 1 s. */
const maxEncodingSeconds = 10;

export const maxPictureBytes = 5 * 1024 * 1024;
/** Guards against decompression bombs: a picture of 5 MB can have gigapixels. */
const maxPixels = 50_000_000;
/** Memory of a picture that is decoded as a whole: 25 megapixels of a progressive JPEG, 37 of WebP. Others are decoded line by line. */
const maxDecodedBytes = 150_000_000;

const invalidPicture = 'Upload a valid image. The file you uploaded was either not an image or a corrupted image.';

/**
 * Re-encodes an upload as WebP of at most 512 × 512 pixels, see `encodePicture`; otherwise adds an error to `checks` and returns undefined.
 * @param caller who shares the decoder with the others
 * @throws SERVICE_UNAVAILABLE when too many pictures wait
 */
export async function preparePicture(
  { bytes }: UploadedFile,
  checks: InputChecks,
  caller: string,
): Promise<Buffer | undefined> {
  const encoded = await encodePicture(bytes, { width: 512, height: 512, fit: 'cover' }, caller);
  if ('bytes' in encoded) return encoded.bytes;
  checks.add('picture', encoded.problem);
  return undefined;
}

/**
 * Re-encodes a JPEG, PNG or WebP picture of at most 5 MiB as WebP. Re-encoding drops everything else in the file: location, scripts, appended
 * data. `problem`: a sentence for the one who sent it.
 * @throws SERVICE_UNAVAILABLE when too many pictures wait
 */
export async function encodePicture(
  sent: Buffer,
  size: Required<Pick<ResizeOptions, 'width' | 'height' | 'fit'>>,
  caller: string,
): Promise<{ bytes: Buffer } | { problem: string }> {
  if (sent.length === 0) return { problem: 'The submitted file is empty.' };
  if (sent.length > maxPictureBytes) return { problem: 'Ensure this file is no larger than 5 MiB.' };
  const file = readPictureFile(sent);
  if (!('bytes' in file))
    return { problem: file.format === 'unknown' ? 'Upload a JPEG, PNG or WebP picture.' : invalidPicture };
  const open = await loadDecoder();
  return decodingSlots.run(caller, async () => {
    try {
      // The header alone, which has a fixed size: nothing is decoded before the number of pixels is known.
      const excess = findExcess(await open(file.bytes, { limitInputPixels: false }).metadata());
      if (excess !== undefined) return { problem: excess };
      const bytes = await open(file.bytes, { limitInputPixels: maxPixels, failOn: 'error' })
        .timeout({ seconds: maxEncodingSeconds })
        .rotate()
        .resize({ ...size, withoutEnlargement: true })
        .webp({ quality: 82 })
        .toBuffer();
      return { bytes };
    } catch {
      return { problem: invalidPicture };
    }
  });
}

type Sharp = typeof import('sharp').default;
let decoder: Promise<Sharp> | undefined;

/** On first use: the library takes 30 ms to load and 15 MiB. It is left three of its loaders, and keeps nothing of a picture. */
function loadDecoder(): Promise<Sharp> {
  decoder ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
    });
    sharp.cache(false);
    sharp.concurrency(1);
    return sharp;
  });
  return decoder;
}

/** The sentence for a picture that is too large to be decoded. */
function findExcess({
  format,
  width,
  height,
  channels,
  depth,
  isProgressive,
  pages = 1,
}: Metadata): string | undefined {
  const size = `it has ${width} × ${height} pixels`;
  if (width * height > maxPixels) return `Ensure this picture has no more than ${maxPixels / 1e6} megapixels: ${size}.`;
  if (!isProgressive && format !== 'webp') return undefined;
  // Coefficients of a JPEG have 16 bits. Of an animation the decoder keeps the last frame and its canvas.
  const bytesPerSample = format === 'jpeg' || depth === 'ushort' ? 2 : 1;
  const bytes = width * height * bytesPerSample * (format === 'webp' ? 4 : channels) * (pages > 1 ? 2 : 1);
  if (bytes <= maxDecodedBytes) return undefined;
  return `Ensure this picture has no more than ${Math.floor(((maxDecodedBytes / bytes) * width * height) / 1e6)} megapixels, or is not progressive: ${size}.`;
}
