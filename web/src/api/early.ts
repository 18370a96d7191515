// Asks for what the open project's pages begin with while the program itself is still being fetched
// and compiled. A script of its own, a few hundred bytes; client.ts hands the replies to whoever
// asks the same question first.
import { apiUrl, earlyKey, type EarlyReplies } from "./client";

const asked: EarlyReplies = new Map();

function ask(url: string, body?: string): void {
  const reply = fetch(
    url,
    body === undefined
      ? {}
      : { method: "POST", headers: { "Content-Type": "application/json" }, body },
  );
  reply.catch(() => undefined); // whoever takes the reply hears of it
  asked.set(earlyKey(url, body), reply);
}

const project = /[?&]project=([^&]+)/.exec(location.hash);
// Archived runs are asked for otherwise (state/runs.ts); such an address has to wait.
if (project && !/[?&](arch|showArchived)=/.test(location.hash)) {
  const name = decodeURIComponent(project[1]);
  ask(apiUrl("runs:query"), JSON.stringify({ project: name, archived: "exclude" }));
  ask(apiUrl("keys", { project: name }));
}
for (const path of ["projects", "server", "settings"]) ask(apiUrl(path));
(globalThis as { taffrailEarly?: EarlyReplies }).taffrailEarly = asked;
