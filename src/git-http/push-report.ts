import type { ServerResponse } from 'node:http';
import { flushPkt, pktLine, pktText } from './pkt-line.ts';

/** Why a command was refused, in git's words; undefined when it was done. */
export type CommandResult = { ref: string; refused?: string };

/** Bytes of one line of a side band, without the number of the band. */
const maxBandBytes = 65_515;
const keepAliveMs = 5_000;

/** Answers a push: messages for the person while it is worked on, and then the report for git. */
export class PushReport {
  readonly #response: ServerResponse;
  readonly #capabilities: ReadonlySet<string>;
  readonly #bandBytes: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, capabilities: ReadonlySet<string>) {
    this.#response = response;
    this.#capabilities = capabilities;
    this.#bandBytes = capabilities.has('side-band-64k') ? maxBandBytes : undefined;
  }

  /** To be called when the whole request is read. Empty lines follow while nothing else is written, so that proxies wait. */
  begin(): void {
    this.#response.setHeader('Content-Type', 'application/x-git-receive-pack-result');
    this.#response.flushHeaders();
    if (this.#bandBytes === undefined) return;
    this.#timer = setInterval(() => this.#response.write('0005\x01'), keepAliveMs).unref();
  }

  /** Lines that git shows behind `remote:`. */
  say(lines: readonly string[]): void {
    if (this.#bandBytes === undefined) return;
    this.#band(2, Buffer.from(lines.map(line => `${printable(line)}\n`).join('')));
  }

  /** @param unpacked `ok`, or why the pack was refused */
  end(unpacked: string, results: readonly CommandResult[]): void {
    clearInterval(this.#timer);
    const wantsReport = this.#capabilities.has('report-status') || this.#capabilities.has('report-status-v2');
    if (wantsReport) {
      const lines = results.map(({ ref, refused }) =>
        refused === undefined ? `ok ${ref}\n` : `ng ${ref} ${printable(refused)}\n`,
      );
      const text = [`unpack ${printable(unpacked)}\n`, ...lines].map(pktText).join('');
      const report = Buffer.concat([Buffer.from(text), flushPkt]);
      if (this.#bandBytes === undefined) this.#response.write(report);
      else this.#band(1, report);
    }
    this.#response.end(this.#bandBytes === undefined ? undefined : flushPkt);
  }

  #band(number: 1 | 2, bytes: Buffer): void {
    const size = this.#bandBytes ?? 1;
    for (let at = 0; at < bytes.length; at += size) {
      this.#response.write(pktLine(Buffer.concat([Buffer.from([number]), bytes.subarray(at, at + size)])));
    }
  }
}

/** Messages may quote names of refs and rules, which could otherwise control the terminal. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, 1_000);
