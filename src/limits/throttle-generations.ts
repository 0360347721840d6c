/**
 * Values that end by themselves after one length of time, in two maps: whatever was set before the younger one was begun has
 * ended when that one is as old as a value lasts, and the older map is dropped as a whole. When the younger one is full that
 * happens earlier: then what is dropped is what would have ended first. Lengths do not share their room: who has many
 * addresses and fills the minute's with them does not wipe out what others have failed in a day.
 *
 * Not one map whose front is removed bit by bit: V8 keeps the holes, and finding the front of 100,000 keys took 250 µs.
 */
export class Generations<Value> {
  private readonly seconds: number;
  private readonly most: number;
  private older = new Map<string, Value>();
  private younger = new Map<string, Value>();
  private begun = Number.NEGATIVE_INFINITY;

  constructor(seconds: number, most: number) {
    this.seconds = seconds;
    this.most = most;
  }

  get size(): number {
    return this.older.size + this.younger.size;
  }

  get(key: string): Value | undefined {
    return this.younger.get(key) ?? this.older.get(key);
  }

  set(key: string, value: Value, now: number): void {
    if (now - this.begun >= this.seconds * 1000 || this.younger.size >= this.most) {
      this.older = this.younger;
      this.younger = new Map();
      this.begun = now;
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
export class ByLength<Value> {
  private readonly most: number;
  private readonly lengths = new Map<number, Generations<Value>>();

  constructor(most: number) {
    this.most = most;
  }

  get size(): number {
    let size = 0;
    for (const generations of this.lengths.values()) size += generations.size;
    return size;
  }

  of(seconds: number): Generations<Value> {
    let generations = this.lengths.get(seconds);
    if (!generations) {
      generations = new Generations(seconds, this.most);
      this.lengths.set(seconds, generations);
    }
    return generations;
  }

  delete(key: string): void {
    for (const generations of this.lengths.values()) generations.delete(key);
  }
}
