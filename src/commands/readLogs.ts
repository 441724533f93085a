import { Command, Options } from "@effect/cli"
import { Console, Effect, Option, Stream } from "effect"
import type { JsonObject } from "../contract/fields.ts"
import { textAt } from "../contract/json/json.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { help, limitOption, optionalText } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { oneLine } from "./table.ts"

const logs = Command.make(
  "logs",
  {
    level: Options.choice("level", ["debug", "info", "warn", "error"]).pipe(
      Options.withDescription("Only lines of this level or above."),
      Options.optional
    ),
    event: optionalText("event", "Only those of this event: request, upstream.attempt, …"),
    request: optionalText("request", "Only those of the request with this x-request-id."),
    limit: limitOption(100, 5_000),
    follow: Options.boolean("follow").pipe(Options.withDescription("Keep printing new lines until stopped.")),
    json: Options.boolean("json").pipe(Options.withDescription("Print lines as JSON, for scripts."))
  },
  ({ event, follow, json, level, limit, request }) =>
    administer(
      Effect.gen(function* () {
        const { logs } = yield* Operator
        const query = {
          ...Option.match(level, { onNone: () => ({}), onSome: (level) => ({ level }) }),
          ...Option.match(event, { onNone: () => ({}), onSome: (event) => ({ event }) }),
          ...Option.match(request, { onNone: () => ({}), onSome: (request_id) => ({ request_id }) }),
          limit
        }
        const printLine = (line: JsonObject) => Console.log(json ? JSON.stringify(line) : shown(line))
        if (follow) yield* Stream.runForEach(logs.follow(query), printLine)
        else yield* Effect.forEach(yield* logs.last(query), printLine, { discard: true })
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Print the last lines of a running gateway's log, of the answering process. Uses its admin API, also on this machine (GATEWAY_ADMIN_KEY).",
      "gateway logs --level warn",
      "gateway logs --request req_… --json",
      "gateway logs --follow --url https://gateway.example.com"
    )
  )
)

export const logsCommand = remoteLeaf(logs)

/** Fields that are not printed at the end of a line: printed elsewhere in it, redundant, or for programs. */
const forPrograms = ["family", "daemon", "stream", "first_byte_ms", "traceparent"]
const omitted = new Set(["time", "level", "message", "event", "method", "path", "endpoint", "cause", ...forPrograms])

/** `12:00:01 WARN a call to an upstream failed request_id=req_… upstream=anthropic`; causes follow on lines of their own. */
const shown = (line: JsonObject): string => {
  const isRequest = line["event"] === "request"
  const rest = Object.entries(line).flatMap(([name, value]) =>
    omitted.has(name) || value === "" || (isRequest && name === "status") ? [] : [` ${name}=${inWords(value)}`]
  )
  const cause = textAt(line, "cause")
  const head = `${textAt(line, "time")?.slice(11, 19)} ${textAt(line, "level")?.toUpperCase().padEnd(5)}`
  return `${head} ${oneLine(textAt(line, "message") ?? "")}${rest.join("")}${cause === undefined ? "" : `\n${cause.split("\n").map(oneLine).join("\n")}`}`
}

const inWords = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return oneLine(/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text))
}
