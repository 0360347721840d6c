const megabyte = 1024 * 1024;

/** A request for a pack: 200,000 wanted or known ids. */
export const maxFetchRequestBytes = 10 * megabyte;

/** Objects of one push: their ids and sizes are in memory, 200 bytes each. */
export const maxPushObjects = 1_000_000;
/** Refs that one push changes. Each waits for its lock, and rules, events and deliveries run for each. */
export const maxPushCommands = 10_000;
/** Commands that are read to answer each of them: git does not show the text of an HTTP error at this step. */
export const maxReadCommands = 100_000;
/** A commit, tree or tag is read as a whole. */
export const maxStructureBytes = 16 * megabyte;

/** Packs that are made or received at the same time: a caller with more gets 503, because git does not wait for its turn. */
export const packSlots = { all: 32, perKey: 10 };
/** Copies that are filled at the same time; the others wait. Each reads some megabytes from the database at a time. */
export const buildSlots = { running: 2, waiting: 32 };

const minuteMs = 60_000;
/** Longest time of one fetch, and of the packing or checking of one pack. */
export const maxProcessMs = 60 * minuteMs;
/** Longest time without traffic while a copy is filled or a push is stored. */
export const maxQuietMs = 10 * minuteMs;

/**
 * For reading the objects of a pack in another order than that of the pack. 200,000 objects by id take 5 s, and 10 s with the
 * default of 96 MB.
 */
export const anyOrderSettings: readonly string[] = ['core.deltaBaseCacheLimit=256m'];
