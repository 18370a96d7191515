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

export function apiUrl(path: string, parameters: Record<string, string | number | undefined> = {}): string {
  // "./": a colon in the first segment would otherwise read as a scheme.
  const url = new URL("./" + path, base);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

async function problem(response: Response): Promise<ApiError> {
  let body: ErrorBody = { code: "internal", message: `the server answered ${response.status}`, request_id: "" };
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

async function send(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await (takeEarly(url, init) ?? fetch(url, init));
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, { code: "unavailable", message: "The server cannot be reached. Is taffrail ui still running?", request_id: "" });
  }
  if (!response.ok) throw await problem(response);
  return response;
}

export async function get<T>(path: string, parameters: Record<string, string | number | undefined> = {}, signal?: AbortSignal): Promise<T> {
  return (await send(apiUrl(path, parameters), { signal })).json() as Promise<T>;
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await postRaw(path, body, signal)).json() as Promise<T>;
}

export function postRaw(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return send(apiUrl(path), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
}
