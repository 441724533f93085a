import { expect } from "vitest"

/** What docs/api.md says of errors, written down once more, away from the code. */
type Row = readonly [status: number, code: string, type: string]

interface Family {
  readonly shape: "coded" | "typed"
  /** Whether `param` names the field. */
  readonly param: boolean
  readonly invalid: Row
  readonly missingKey: Row
  readonly invalidKey: Row
  readonly unknownUrl: Row
  readonly tooLarge: Row
}

const invalidRequest = "invalid_request_error"
const unauthorized: Row = [401, "auth_invalid", "authentication_error"]

const responses: Family = {
  shape: "coded",
  param: true,
  invalid: [400, "invalid_params", invalidRequest],
  missingKey: unauthorized,
  invalidKey: unauthorized,
  unknownUrl: [404, invalidRequest, invalidRequest],
  tooLarge: [413, "invalid_params", invalidRequest]
}

const videos: Family = {
  ...responses,
  param: false,
  missingKey: [401, "auth_missing", "authentication_error"],
  unknownUrl: [404, "invalid_url", invalidRequest]
}

const tasks: Family = {
  ...responses,
  param: false,
  invalid: [400, "invalid_url", invalidRequest],
  unknownUrl: [400, "invalid_url", invalidRequest]
}

const messages: Family = {
  shape: "typed",
  param: false,
  invalid: [400, "", invalidRequest],
  missingKey: [401, "", "authentication_error"],
  invalidKey: [401, "", "authentication_error"],
  unknownUrl: [404, "", invalidRequest],
  tooLarge: [413, "", "request_too_large"]
}

const batches: Family = { ...messages, unknownUrl: [404, "", "not_found_error"] }

/** The family of a path: the longest prefix wins, and a path without one answers like the responses family. */
export const familyOf = (path: string): Family => {
  const within = (prefix: string) => path === prefix || path.startsWith(`${prefix}/`)
  if (within("/api/v3")) return videos
  if (within("/v1/messages/batches")) return batches
  if (within("/v1/messages")) return messages
  if (within("/v1/tasks")) return tasks
  return responses
}

/** Paths of two dialects, where the headers tell whose client it is. */
const isShared = (path: string) => /^\/v1\/(?:models|files)(?:\/|$)/.test(path)

/** Asserts that a response is the family's error, whole and exact; answers its message and param. */
export const expectError = async (
  path: string,
  kind: Exclude<keyof Family, "shape" | "param">,
  response: Response,
  headers: Readonly<Record<string, string>> = {}
): Promise<{ readonly message: string; readonly param: string | null }> => {
  const family = "x-api-key" in headers && isShared(path) ? messages : familyOf(path)
  const [status, code, type] = family[kind]
  const text = await response.text()
  expect([response.status, text.slice(0, 300)]).toEqual([status, expect.anything()])
  expect(response.headers.get("content-type")).toBe("application/json")
  const id = response.headers.get("x-request-id")
  expect(id).toMatch(/^req_\w+$/)
  expect(response.headers.get("request-id")).toBe(id)
  // None of these passes by being sent again.
  expect(response.headers.get("x-should-retry")).toBe("false")
  const body = JSON.parse(text) as { error: { message: string; param?: string | null } }
  const message = expect.stringMatching(/./)
  if (family.shape === "typed") {
    expect(body).toEqual({ type: "error", error: { type, message }, request_id: id })
    return { message: body.error.message, param: null }
  }
  const param = family.param ? (body.error.param ?? null) : null
  expect(body).toEqual({ error: { code, message, param, type } })
  return { message: body.error.message, param }
}
