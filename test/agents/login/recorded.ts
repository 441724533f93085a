import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isRead, ofConnection, shapeOf } from "./differences.ts"
import type { Exchange } from "./recorder.ts"

const file = join(import.meta.dirname, "reference.json")

/** What Claude Code sent to its own gateway and was answered: each kind of exchange once. */
export const recorded = (): ReadonlyArray<Exchange> => JSON.parse(readFileSync(file, "utf8"))

/** Keeps a recording, without what is different each time or the developer's own. */
export const record = (exchanges: ReadonlyArray<Exchange>): void => {
  const kinds = new Map(exchanges.map(reduced).map((exchange) => [shapeOf(exchange), exchange]))
  writeFileSync(file, `${JSON.stringify([...kinds.values()], undefined, 2)}\n`)
}

const secret = /^(?:access_token|refresh_token|device_code|user_code)$/

const reduced = (exchange: Exchange): Exchange => {
  const { answer, answerHeaders, body, headers } = exchange
  const isJson = answerHeaders["content-type"]?.startsWith("application/json") === true
  return {
    ...exchange,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !ofConnection.includes(name))
        .map(([name, value]) => [name, name === "authorization" ? "Bearer TOKEN" : value])
    ),
    body: headers["content-type"] === "application/json" ? JSON.stringify(ofObject(JSON.parse(body))) : ofForm(body),
    answerHeaders: Object.fromEntries(Object.entries(answerHeaders).filter(([name]) => isRead(name))),
    answer: isJson ? JSON.stringify(JSON.parse(answer, (name, value) => (secret.test(name) ? "SECRET" : value))) : ""
  }
}

/** A message or telemetry as it was sent, without the prompts and what was measured. */
const ofObject = (body: Readonly<Record<string, unknown>>) => {
  const short: Readonly<Record<string, unknown>> = {
    messages: [{ role: "user", content: "Hello" }],
    system: [{ type: "text", text: "A prompt." }],
    tools: [],
    metadata: { user_id: "{}" },
    safeguards: [{ type: "dangerous_tool_use" }],
    resourceMetrics: [],
    resourceLogs: []
  }
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, short[name] ?? value]))
}

const ofForm = (body: string): string => {
  const form = new URLSearchParams(body)
  for (const name of form.keys()) if (secret.test(name) || name === "token") form.set(name, "SECRET")
  return form.toString()
}
