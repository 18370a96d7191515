// Loads something when its key changes; keeps the old value until the new one is there.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { listenLive } from "../state/live";

export interface Loaded<T> {
  value: T | null;
  error: string;
  loading: boolean;
  again: () => void;
}

/**
 * `live` names when to load again: after changes of runs, or when series of one of the runs grew.
 * `atOnce` asks before the frame is painted and not after it: for what answers a key or a click in
 * milliseconds. It stays what it is as long as the component lives.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  live?: (runs: string[]) => boolean,
  atOnce = false,
): Loaded<T> {
  const [state, setState] = useState<{
    key: string;
    value: T | null;
    error: string;
    loading: boolean;
  }>({ key: "", value: null, error: "", loading: true });
  const [turn, setTurn] = useState(0);
  const effect = atOnce ? useLayoutEffect : useEffect;
  effect(() => {
    const abort = new AbortController();
    setState((s) => ({ ...s, loading: true }));
    load(abort.signal).then(
      (value) => !abort.signal.aborted && setState({ key, value, error: "", loading: false }),
      (error) =>
        !abort.signal.aborted &&
        setState((s) => ({
          key,
          value: s.key === key ? s.value : null,
          error: (error as Error).message,
          loading: false,
        })),
    );
    return () => abort.abort();
  }, [key, turn]);
  useEffect(() => {
    if (!live) return;
    let timer = 0;
    const soon = () => {
      if (timer) return;
      timer = window.setTimeout(() => {
        timer = 0;
        setTurn((n) => n + 1);
      }, 1000);
    };
    const stop = listenLive({
      series: (e) => live(e.grew.map((g) => g.run)) && soon(),
      runs: (e) => (e.all || live(e.runs)) && soon(),
      reset: soon,
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [key]);
  return {
    value: state.value,
    error: state.error,
    loading: state.loading || state.key !== key,
    again: () => setTurn((n) => n + 1),
  };
}
