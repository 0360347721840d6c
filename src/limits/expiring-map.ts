/**
 * Values that end by themselves after one length of time, in two maps: whatever was set before the younger one was begun has
 * ended when that one is as old as a value lasts, and the older map is dropped as a whole. When the younger one is full that
 * happens earlier: then what is dropped is what would have ended first. Lengths do not share their room: who has many
 * addresses and fills the minute's with them does not wipe out what others have failed in a day.
 *
 * Not one map whose front is removed bit by bit: V8 keeps the holes, and finding the front of 100,000 keys took 250 µs.
 */
export class ExpiringMap<Value> {
  private readonly seconds: number;
  private readonly maxKeys: number;
  private older = new Map<string, Value>();
  private younger = new Map<string, Value>();
  private youngerSince = Number.NEGATIVE_INFINITY;

  constructor(seconds: number, maxKeys: number) {
    this.seconds = seconds;
    this.maxKeys = maxKeys;
  }

  get size(): number {
    return this.older.size + this.younger.size;
  }

  get(key: string): Value | undefined {
    return this.younger.get(key) ?? this.older.get(key);
  }

  set(key: string, value: Value, now: number): void {
    if (now - this.youngerSince >= this.seconds * 1000 || this.younger.size >= this.maxKeys) {
      this.older = this.younger;
      this.younger = new Map();
      this.youngerSince = now;
    }
    this.older.delete(key);
    this.younger.set(key, value);
  }

  delete(key: string): void {
    this.older.delete(key);
    this.younger.delete(key);
  }
}

/** One `Generations` for each length of time. */
export class ExpiringMaps<Value> {
  private readonly maxKeys: number;
  private readonly maps = new Map<number, ExpiringMap<Value>>();

  constructor(maxKeys: number) {
    this.maxKeys = maxKeys;
  }

  get size(): number {
    let size = 0;
    for (const generations of this.maps.values()) size += generations.size;
    return size;
  }

  of(seconds: number): ExpiringMap<Value> {
    let map = this.maps.get(seconds);
    if (!map) {
      map = new ExpiringMap(seconds, this.maxKeys);
      this.maps.set(seconds, map);
    }
    return map;
  }

  delete(key: string): void {
    for (const generations of this.maps.values()) generations.delete(key);
  }
}
