// A text that is sent when a hand pauses: what is typed stands in the field at once.
import { useEffect, useRef, useState } from "preact/hooks";

const PAUSE_MS = 120;

export function useTyped(value: string, onSend: (text: string) => void) {
  const [text, setText] = useState(value);
  const timer = useRef(0);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) {
      clearTimeout(timer.current); // what came from elsewhere is newer than what was typed
      sent.current = value;
      setText(value);
    }
  }, [value]);
  const send = (next: string) => {
    clearTimeout(timer.current);
    sent.current = next;
    onSend(next);
  };
  return {
    text,
    send,
    type(next: string) {
      setText(next);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => send(next), PAUSE_MS);
    },
    clear() {
      setText("");
      send("");
    },
  };
}
