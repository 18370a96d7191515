// The connection that says what grew and what changed: server-sent events, polling where a proxy
// holds streams back. It knows no page: it runs in the worker that all tabs share, or in the page
// itself where there is no such worker.
import type { Changes, Hello } from "../api/types";

export type LiveState = "connecting" | "live" | "polling" | "lost";

/** What a stream tells its tabs. `reset` means: everything may have changed. */
export type LiveMessage =
  | { kind: "state"; state: LiveState; lostSince: number }
  | { kind: "event"; event: string; data: unknown }
  | { kind: "reset" };

export class LiveStream {
  state: LiveState = "connecting";
  lostSince = 0;
  hello: Hello | null = null;
  private source: EventSource | null = null;
  private lastHeard = 0;
  private since: number | undefined;
  private polling = false;

  constructor(
    private readonly api: URL,
    private readonly emit: (message: LiveMessage) => void,
  ) {}

  start(): void {
    this.open();
    setInterval(() => this.watch(), 1000);
  }

  private become(state: LiveState): void {
    if (state === this.state) return;
    if (state === "lost") this.lostSince = Date.now();
    this.state = state;
    this.emit({ kind: "state", state, lostSince: this.lostSince });
  }

  private deliver(event: string, data: unknown): void {
    if (event === "hello") {
      const before = this.hello;
      this.hello = data as Hello;
      this.emit({ kind: "event", event, data });
      if (before && before.instance !== this.hello.instance) this.emit({ kind: "reset" });
    } else {
      // Tabs that come later are greeted with what is known now.
      const { revision } = data as { revision?: number };
      if (this.hello && revision) this.hello = { ...this.hello, revision };
      this.emit({ kind: "event", event, data });
    }
  }

  private address(path: string): URL {
    const url = new URL("./" + path, this.api);
    if (this.since !== undefined) url.searchParams.set("since", String(this.since));
    return url;
  }

  private open(): void {
    this.source?.close();
    const source = (this.source = new EventSource(this.address("events")));
    this.lastHeard = performance.now();
    source.onopen = () => (this.lastHeard = performance.now());
    source.onerror = () => {
      this.become("lost");
      if (source.readyState === EventSource.CLOSED)
        setTimeout(() => this.source === source && this.open(), 1000);
    };
    for (const name of ["hello", "runs", "series", "console"]) {
      source.addEventListener(name, (event) => {
        this.lastHeard = performance.now();
        const recovered = this.state === "lost";
        this.become("live");
        if (event.lastEventId) this.since = Number(event.lastEventId);
        this.deliver(name, JSON.parse((event as MessageEvent<string>).data));
        if (recovered) this.emit({ kind: "reset" });
      });
    }
  }

  // EventSource hides comments, so silence is normal; a stream that never said hello is a proxy
  // that holds it back.
  private watch(): void {
    const silent = performance.now() - this.lastHeard;
    if (this.state === "connecting" && silent > 4000 && !this.polling) {
      this.polling = true;
      this.become("polling");
      this.source?.close();
      void this.poll();
    }
    if (
      this.state === "lost" &&
      !this.polling &&
      this.source?.readyState !== EventSource.OPEN &&
      silent > 1500
    )
      this.open();
  }

  private async poll(): Promise<void> {
    try {
      const response = await fetch(this.address("changes"));
      if (!response.ok) throw new Error(String(response.status));
      const reply = (await response.json()) as Changes;
      this.since = reply.next;
      const recovered = this.state === "lost";
      this.become("polling");
      if (reply.reset || recovered) this.emit({ kind: "reset" });
      for (const e of reply.events) this.deliver(e.event, e.data);
    } catch {
      this.become("lost");
    }
    setTimeout(() => void this.poll(), 2000);
  }
}
