import sharp from 'sharp';
import { Semaphore } from '../../workers/semaphore.ts';
import type { InputChecks } from '../input/input-checks.ts';

/** A file as a form sends it. */
export interface UploadedFile {
  mediaType: string;
  bytes: Buffer;
}

/** Pictures that are drawn at the same time. Each takes up to 200 MB and threads that passwords and files need as well. */
const encodingSlots = new Semaphore(1);
/** Seconds for one picture; 50 megapixels take 1 s. */
const maxEncodingSeconds = 10;

const maxBytes = 5 * 1024 * 1024;
const formats = new Set(['jpeg', 'png', 'webp']);

/**
 * Makes a picture of at most 512 × 512 pixels out of an upload, by drawing it anew: what was hidden in the file (a place,
 * a script, a second file) is not in the result. Undefined, with the reason in `checks`, for anything but JPEG, PNG and WebP.
 */
export async function preparePicture({ bytes }: UploadedFile, checks: InputChecks): Promise<Buffer | undefined> {
  const fail = (sentence: string): undefined => {
    checks.add('profile_picture', sentence);
    return undefined;
  };
  if (bytes.length === 0) return fail('The submitted file is empty.');
  if (bytes.length > maxBytes) return fail('Ensure this file is no larger than 5 MB.');
  try {
    // 50 megapixels: a small file may unfold to any size.
    const image = sharp(bytes, { limitInputPixels: 50_000_000, failOn: 'error' });
    const { format } = await image.metadata();
    if (!formats.has(format)) return fail('Upload a JPEG, PNG or WebP picture.');
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
