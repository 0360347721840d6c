const megabyte = 1024 * 1024;

/** A request for a pack, unpacked: 200,000 wanted or known ids. */
export const maxFetchRequestBytes = 10 * megabyte;
/** Lines of a request for a pack or for refs. A line with an id has 50 bytes. */
export const maxFetchRequestLines = 210_000;

/** Bytes of the objects of one push, unpacked: so many for any pack, and this multiple of its own bytes. Histories of one large file reach 100. */
export const maxUnpacked = { freeBytes: 1024 * megabyte, ratio: 100 };
/** CPU time of the check of one pack. A pack of 170 MB and 200,000 objects takes 15 s, and one of 30 KB could take minutes. */
export const maxCheckCpu = { freeMs: 5_000, msPerMegabyte: 1_000 };
/** Refs that one push changes. Each waits for its lock, and rules, events and deliveries run for each. */
export const maxPushCommands = 10_000;
/**
 * Bytes of what precedes a pack: 10,000 commands with names of 255 bytes are 3.4 MB. Up to here each command is answered: git does not
 * show the text of an HTTP error at this step.
 */
export const maxCommandBytes = 4 * megabyte;
/** Bytes after the commands of a probe, which has none. */
export const maxProbeBytes = 64 * 1024;
/** A tree is read as a whole. */
export const maxTreeBytes = 16 * megabyte;

/**
 * Requests with a pack, or for one, at the same time: further ones wait, because git ends at the first error. A quarter is
 * for callers with a credential, also for those of the repository that is asked for most, and some are for other repositories.
 */
export const packSlots = { all: 72, anonymous: 54, perAddress: 8, perCredential: 10 };
/** Those of one repository, and of callers without a credential among them. */
export const repositorySlots = { all: 66, anonymous: 48 };
/** Requests that wait for such a slot. Further ones get 503. */
export const maxWaitingForPacks = 400;
/** Copies that are filled at the same time; the others wait. Each reads some megabytes from the database at a time. */
export const buildSlots = { size: 2, maxPerKey: 1, maxQueued: 64, maxQueuedPerKey: 12 };

const minuteMs = 60_000;
/** Longest time of one fetch, and of the packing or checking of one pack. */
export const maxProcessMs = 60 * minuteMs;
/** CPU time of unpacking a body, in microseconds per byte that it unpacks to: zlib makes 200 MB per second. */
export const inflateMicrosecondsPerByte = 0.005;

/**
 * For reading the objects of a pack in another order than that of the pack. 200,000 objects by id take 5 s, and 10 s with the
 * default of 96 MB.
 */
export const anyOrderSettings: readonly string[] = ['core.deltaBaseCacheLimit=256m'];
