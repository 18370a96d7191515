// Asks for a line of text in a small dialog.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { Dialog } from "./popover";

interface Question {
  title: string;
  initial: string;
  button: string;
  lines: number;
  answer: (text: string | null) => void;
}

const question = signal<Question | null>(null);

export function askText(
  title: string,
  initial = "",
  button = "OK",
  lines = 1,
): Promise<string | null> {
  return new Promise((answer) => (question.value = { title, initial, button, lines, answer }));
}

function Form({ q }: { q: Question }) {
  const [text, setText] = useState(q.initial);
  const done = (value: string | null) => {
    question.value = null;
    q.answer(value);
  };
  const props = {
    class: "input",
    autofocus: true,
    "aria-label": q.title,
    value: text,
    onInput: (e: { currentTarget: { value: string } }) => setText(e.currentTarget.value),
    style: { width: "100%" },
  };
  return (
    <Dialog title={q.title} close={() => done(null)}>
      <form
        class="stack"
        onSubmit={(e) => {
          e.preventDefault();
          done(text);
        }}
      >
        <h2>{q.title}</h2>
        {q.lines > 1 ? <textarea rows={q.lines} {...props} /> : <input {...props} />}
        <div class="row">
          <span class="spacer" />
          <button type="button" class="button" onClick={() => done(null)}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            {q.button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function AskLayer() {
  return question.value ? <Form key={question.value.title} q={question.value} /> : null;
}
