// A worker whose every answer has a limit: one that takes too long is ended, its worker with it,
// and the next job gets a new one. Whatever a run logged, the page stays alive. Fetching the
// worker's own code does not count: a slow line is not a text that cannot be formatted.

export class TookTooLong extends Error {
  constructor(seconds: number) {
    super(`It took longer than ${seconds} s and was ended.`);
  }
}

/** Its code has this long to come; then the line is as good as broken. */
const fetchSeconds = 120;

/** What a worker says: that it has begun, then how it went. */
interface Said {
  begun?: true;
  result?: unknown;
  error?: string;
}

interface Waiting {
  job: unknown;
  seconds: number;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

export class LimitedWorker<Job, Result> {
  private worker: Worker | null = null;
  private readonly queue: Waiting[] = []; // the first one is being worked on
  private timer = 0;

  constructor(private readonly url: string) {}

  /**
   * One job after the other; the limit counts from when the worker begins with it. `end` takes the
   * job back.
   */
  ask(job: Job, seconds: number): { result: Promise<Result>; end: () => void } {
    let waiting: Waiting;
    const result = new Promise<Result>((resolve, reject) => {
      waiting = { job, seconds, resolve: resolve as (result: unknown) => void, reject };
      this.queue.push(waiting);
    });
    if (this.queue.length === 1) this.next();
    return {
      result,
      end: () => this.finish(waiting, (w) => w.reject(new Error("it was taken back")), true),
    };
  }

  private next(): void {
    const first = this.queue[0];
    if (!first) return;
    if (!this.worker) {
      this.worker = new Worker(new URL(this.url, document.baseURI), { type: "module" });
      this.worker.onmessage = (event: MessageEvent<Said>) => {
        const { begun, result, error } = event.data;
        const current = this.queue[0];
        if (begun && current) return this.limit(current, current.seconds);
        this.finish(
          current,
          (w) => (error === undefined ? w.resolve(result) : w.reject(new Error(error))),
          false,
        );
      };
      this.worker.onerror = (event) => {
        event.preventDefault(); // whoever asked says it in words
        this.finish(
          this.queue[0],
          (w) => w.reject(new Error("A part of the dashboard could not be fetched.")),
          true,
        );
      };
    }
    this.limit(first, fetchSeconds);
    this.worker.postMessage(first.job);
  }

  private limit(waiting: Waiting, seconds: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(
      () => this.finish(waiting, (w) => w.reject(new TookTooLong(seconds)), true),
      seconds * 1000,
    );
  }

  /** `fatal`: what the worker does is of no use any more. */
  private finish(
    waiting: Waiting | undefined,
    tell: (waiting: Waiting) => void,
    fatal: boolean,
  ): void {
    const place = waiting ? this.queue.indexOf(waiting) : -1;
    if (place < 0) return;
    this.queue.splice(place, 1);
    tell(waiting!);
    if (place > 0) return;
    clearTimeout(this.timer);
    if (fatal) {
      this.worker?.terminate();
      this.worker = null;
    }
    this.next();
  }
}

/**
 * The worker's side: answers jobs; what it throws becomes words. `fetch` brings code that a job
 * needs, before its time counts.
 */
export function answer<Job, Result>(
  work: (job: Job) => Result,
  fetch: (job: Job) => Promise<void> | void = () => {},
): void {
  const say = (said: Said) => (self as unknown as Worker).postMessage(said);
  self.onmessage = async (event: MessageEvent<Job>) => {
    try {
      await fetch(event.data);
      say({ begun: true });
      say({ result: work(event.data) });
    } catch (error) {
      say({ error: (error as Error).message });
    }
  };
}
