// A worker whose every answer has a limit: one that takes too long is ended, its worker with it,
// and the next job gets a new one. Whatever a run logged, the page stays alive.

export class TookTooLong extends Error {
  constructor(seconds: number) {
    super(`It took longer than ${seconds} s and was ended.`);
  }
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
   * One job after the other; the limit counts from when it is its turn. `end` takes the job back.
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
      this.worker.onmessage = (event: MessageEvent<{ result?: unknown; error?: string }>) => {
        const { result, error } = event.data;
        this.finish(
          this.queue[0],
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
    this.timer = window.setTimeout(
      () => this.finish(first, (w) => w.reject(new TookTooLong(first.seconds)), true),
      first.seconds * 1000,
    );
    this.worker.postMessage(first.job);
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

/** The worker's side: answers jobs; what it throws becomes words. */
export function answer<Job, Result>(work: (job: Job) => Result | Promise<Result>): void {
  self.onmessage = async (event: MessageEvent<Job>) => {
    let reply: { result?: Result; error?: string };
    try {
      reply = { result: await work(event.data) };
    } catch (error) {
      reply = { error: (error as Error).message };
    }
    (self as unknown as Worker).postMessage(reply);
  };
}
