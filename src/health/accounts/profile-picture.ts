import { Semaphore } from '../../workers/semaphore.ts';
import type { InputChecks } from '../input/input-checks.ts';

/** A file of a multipart form. */
export interface UploadedFile {
  mediaType: string;
  bytes: Buffer;
}

/**
 * Concurrent encodings. One takes up to 200 MB and threads of the libuv pool, which password hashing and file access
 * also need.
 */
const encodingSlots = new Semaphore(1);
/** Timeout of one encoding; 50 megapixels take 1 s. */
const maxEncodingSeconds = 10;

const maxBytes = 5 * 1024 * 1024;
/** Guards against decompression bombs: a picture of 5 MB can have gigapixels. */
const maxPixels = 50_000_000;
const formats = new Set(['jpeg', 'png', 'webp']);

/**
 * Re-encodes an upload as WebP of at most 512 × 512 pixels. Re-encoding drops everything else in the file: location,
 * scripts, appended data. Accepts JPEG, PNG and WebP; otherwise adds an error to `checks` and returns undefined.
 */
export async function preparePicture({ bytes }: UploadedFile, checks: InputChecks): Promise<Buffer | undefined> {
  const fail = (sentence: string): undefined => {
    checks.add('picture', sentence);
    return undefined;
  };
  if (bytes.length === 0) return fail('The submitted file is empty.');
  if (bytes.length > maxBytes) return fail('Ensure this file is no larger than 5 MB.');
  // On first use: the library takes 30 ms to load and 15 MB.
  const { default: sharp } = await import('sharp');
  try {
    // The header alone, which has a fixed size: nothing is decoded before the number of pixels is known.
    const { format, width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
    if (!formats.has(format)) return fail('Upload a JPEG, PNG or WebP picture.');
    if (width * height > maxPixels)
      return fail(
        `Ensure this picture has no more than ${maxPixels / 1e6} megapixels: it has ${width} × ${height} pixels.`,
      );
    const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' });
    const picture = image
      .timeout({ seconds: maxEncodingSeconds })
      .rotate()
      .resize(512, 512, { fit: 'cover', withoutEnlargement: true })
      .webp({ quality: 82 });
    return await encodingSlots.run(() => picture.toBuffer());
  } catch {
    return fail('Upload a valid image. The file you uploaded was either not an image or a corrupted image.');
  }
}
