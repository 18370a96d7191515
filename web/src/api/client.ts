// Requests to the server. Every address is relative to the page, so any base path works.
import type { ErrorBody, Error as ErrorReply } from "./types";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
  ) {
    super(body.message);
  }
}

const base = new URL("api/v1/", document.baseURI);

export function apiUrl(
  path: string,
  parameters: Record<string, string | number | undefined> = {},
): string {
  // "./": a colon in the first segment would otherwise read as a scheme.
  const url = new URL("./" + path, base);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

async function problem(response: Response): Promise<ApiError> {
  let body: ErrorBody = {
    code: "internal",
    message: `the server answered ${response.status}`,
    request_id: "",
  };
  try {
    body = ((await response.json()) as ErrorReply).error ?? body;
  } catch {
    // Not our server's words (a proxy's page, say): the status alone has to do.
  }
  return new ApiError(response.status, body);
}

/** Replies to questions that early.ts asked, each taken once. */
export type EarlyReplies = Map<string, Promise<Response>>;
export const earlyKey = (url: string, body?: unknown) => `${url}\n${body ?? ""}`;

function takeEarly(url: string, init: RequestInit): Promise<Response> | undefined {
  const replies = (globalThis as { taffrailEarly?: EarlyReplies }).taffrailEarly;
  const key = earlyKey(url, init.body);
  const reply = replies?.get(key);
  replies?.delete(key);
  return reply;
}

/** What nobody took by now would be old when somebody asks. */
export function forgetEarly(): void {
  (globalThis as { taffrailEarly?: EarlyReplies }).taffrailEarly?.clear();
}

/**
 * Waits before a question is asked again whose connection broke: a proxy that restarts or a network
 * that changes is no news to anybody.
 */
const patience = [200, 800];

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

async function reach(url: string, init: RequestInit, tries: number): Promise<Response> {
  let asked = takeEarly(url, init) ?? fetch(url, init);
  for (let attempt = 0; ; attempt++) {
    try {
      return await asked;
    } catch (error) {
      if (init.signal?.aborted) throw error;
      if (attempt === tries)
        throw new ApiError(0, {
          code: "unavailable",
          message: "The server cannot be reached. Is taffrail ui still running?",
          request_id: "",
        });
    }
    await pause(patience[attempt]);
    asked = fetch(url, init);
  }
}

async function send(url: string, init: RequestInit, tries = patience.length): Promise<Response> {
  const response = await reach(url, init, tries);
  if (!response.ok) throw await problem(response);
  return response;
}

export async function get<T>(
  path: string,
  parameters: Record<string, string | number | undefined> = {},
  signal?: AbortSignal,
): Promise<T> {
  return (await send(apiUrl(path, parameters), { signal })).json() as Promise<T>;
}

/** The bytes of a picture, a mesh, a sound, vectors. */
export async function getBytes(
  path: string,
  parameters: Record<string, string | number | undefined> = {},
): Promise<ArrayBuffer> {
  return (await send(apiUrl(path, parameters), {})).arrayBuffer();
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await postRaw(path, body, signal)).json() as Promise<T>;
}

export function postRaw(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  // An edit may have been made although its answer was lost: whoever made it decides.
  const tries = path === "edits" ? 0 : undefined;
  return send(
    apiUrl(path),
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    },
    tries,
  );
}
